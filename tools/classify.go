package tools

import "regexp"

// sign is a word or a turn of words that tells of a task.
type sign struct {
	task Task
	re   *regexp.Regexp
}

// imageSign is one that tells of an image.
type imageSign struct {
	image string
	re    *regexp.Regexp
}

// Classifier tells the task of a question, and the image that it needs, by words. It is a first guess where
// nobody else has told: what a session does afterwards corrects it (see [State]).
// It looks at what the user asks, never at data.
type Classifier struct {
	signs  []sign
	images []imageSign
}

// NewClassifier takes the shipped words.
func NewClassifier() *Classifier {
	c := &Classifier{}
	for _, w := range words {
		c.signs = append(c.signs, sign{w.task, regexp.MustCompile(joinedTurns(w.turns))})
	}
	for _, w := range imageWords {
		c.images = append(c.images, imageSign{w.image, regexp.MustCompile(joinedTurns(w.turns))})
	}
	return c
}

// Classify is the task of a question; [TaskUnknown] when no word tells. What is
// refused counts before what is allowed, and several steps before one.
func (c *Classifier) Classify(question string) Task {
	for _, s := range c.signs {
		if s.re.MatchString(question) {
			return s.task
		}
	}
	return TaskUnknown
}

// words are the shipped turns, in the order in which they count.
var words = []struct {
	task  Task
	turns []string
}{
	{TaskWrite, []string{
		`\b(write|insert|save|push|sync)\b[^.]{0,40}\b(into|to|back to) (the )?(production|business|erp|crm|live)? ?(database|system|erp|crm)\b`,
		`\b(delete|drop|truncate)\b[^.]{0,30}\b(orders?|records?|rows?|tables?|customers?|accounts?)\b[^.]{0,30}\b(in|from) (the )?(production|database|system|erp|crm)\b`,
		`\bsend (an? |the )?(e-?mails?|sms|messages?|invoices?)\b`, `\bplace (an? )?orders?\b`, `\bexecute (a )?(trade|payment|transfer)s?\b`,
		`(写入|写回|同步到|更新到?|修改|删除)[^。，]{0,12}(数据库|业务系统|生产环境|ERP|CRM|线上)`, `(发送|群发)[^。，]{0,6}(邮件|短信|消息)`, `下单|转账|付款`,
	}},
	{TaskExternal, []string{
		`\bhttps?://`, `\b(download|scrape|crawl|fetch)\b[^.]{0,40}\b(from|web|internet|online|site|url|api)\b`,
		`\b(search|look) (it )?(up )?(on )?(the )?(web|internet|online)\b`, `\b(call|query) (an?|the) (external|public|rest|web) (api|service)\b`,
		`(^|[\s"'])/(etc|root|home|proc|var|mnt)/`, `\b[a-z]:\\`, `~/\.`,
		`爬取|爬虫|抓取网页|联网|上网|外网|互联网|调用[^。，]{0,6}(接口|API)|从网(上|站)`, `(读取|打开)[^。，]{0,8}(本地|服务器|系统)[^。，]{0,4}(文件|目录)`,
	}},
	{TaskSteps, []string{
		`\bclusters?\b|\bcluster(ing|ed)\b|\bk-?means\b`, `\bregress(ion|ions)?\b|\bforecasts?(ing)?\b|\bpredict(s|ion|ing)?\b`,
		`\bcorrelat(e|es|ion|ions)\b`, `\boutliers?\b|\banomal(y|ies)\b`, `\bclean(s|ing|ed)?\b[^.]{0,20}\b(data|column|values?|dates?|it)\b`,
		`\bexplor(e|atory|ing)\b`, `\bsimulat(e|ion)\b|\bmonte carlo\b`, `\bcohorts?\b|\bsegment(s|ation)?\b|\brfm\b`, `\bpivot\b[^.]{0,40}\bthen\b|\bfirst\b[^.]{1,80}\bthen\b`,
		`\bsignifican(t|ce)\b|\bt-?test\b|\bp-?value\b|\bhypothes[ie]s\b`, `\bmoving average\b|\brolling\b|\bseasonal(ity)?\b`, `\bprimes?\b|\bfibonacci\b`,
		`聚类|回归|预测|相关性|异常值|离群|清洗|探索性|模拟|蒙特卡洛|分群|分层|同期群|显著性|检验|移动平均|季节性|质数|素数|主成分|矩阵分解|先[^。]{1,40}再`,
	}},
	{TaskSimple, []string{
		`\bhow many\b|\bhow much\b|\bcount\b|\bnumber of\b`, `\b(sum|total|average|mean|median|maximum|minimum|max|min|share|percentage)\b`, `\btop \d+\b|\b(highest|lowest|largest|smallest|best|worst)\b`,
		`\b(by|per|each|for every) (region|month|year|quarter|product|category|customer|day|week|\w+)\b`, `\b(list|show|which)\b`, `\b(bar|line|pie|scatter) (chart|plot)\b|\bhistogram\b`,
		`多少|几(行|列|条|个)|总(和|数|额|计)|合计|平均|均值|中位数|最(大|小|高|低|多|少)|占比|比例|排名|前\s*\d+|按[^。，]{1,10}(汇总|统计|分组)|(柱|条)状图|折线图|散点图|直方图|列名|字段`,
	}},
}
