package tools

import "strings"

// The images that are more than the first one. A model chooses none and installs
// nothing; who asks is given the one that his question needs.
const (
	ImageBasic    = "python-data-basic"
	ImageStats    = "python-stats"
	ImageLearning = "python-ml-lite"
)

// Image names the image whose libraries a question needs: [ImageBasic] when no
// word tells. Learning counts before statistics, which its image has as well.
func (c *Classifier) Image(question string) string {
	for _, s := range c.images {
		if s.re.MatchString(question) {
			return s.image
		}
	}
	return ImageBasic
}

// imageWords are the shipped turns, in the order in which they count.
var imageWords = []struct {
	image string
	turns []string
}{
	{ImageLearning, []string{
		`\bclusters?\b|\bcluster(ing|ed)\b|\bk-?means\b|\bdbscan\b|\bscikit-?learn\b|\bsklearn\b|\bmachine learning\b`,
		`\bprincipal components?\b|\bpca\b|\b(matrix )?factori[sz]ation\b|\brandom forest\b|\bdecision tree\b|\bgradient boosting\b|\bnearest neighbou?rs?\b`,
		`\bclassifier\b|\bclassification (model|report)\b|\btrain (a|an|the) \w*\s?model\b|\bcross-?validat\w+|\bisolation forest\b|\bfeature importances?\b`,
		`聚类|主成分|矩阵分解|随机森林|决策树|梯度提升|机器学习|分类(模型|器)|训练[^。，]{0,6}模型|交叉验证|特征重要性|孤立森林|最近邻`,
	}},
	{ImageStats, []string{
		`\bregress(ion|ions)?\b|\bsignifican(t|ce)\b|\bt-?test\b|\bchi-?squared?\b|\banova\b|\bp-?values?\b|\bhypothes[ie]s\b|\bconfidence intervals?\b`,
		`\bseasonal(ity)?\b|\barima\b|\bforecasts?(ing)?\b|\btime[- ]series\b|\bspearman\b|\bkendall\b|\bkolmogorov\b|\bdistribution fit(ting)?\b|\bseaborn\b|\bscipy\b|\bstatsmodels\b`,
		`回归|显著性|检验|方差分析|卡方|置信区间|季节性|时间序列|预测|假设检验|分布拟合`,
	}},
}

func joinedTurns(turns []string) string { return `(?i)` + strings.Join(turns, `|`) }
