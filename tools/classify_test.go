package tools_test

import (
	"testing"

	"github.com/cellwall/cellwall/tools"
)

func TestM4_AQuestionTellsItsTask(t *testing.T) {
	for question, want := range map[string]tools.Task{
		"How many rows are there?":                                  tools.TaskSimple,
		"total sales by region":                                     tools.TaskSimple,
		"Top 5 customers":                                           tools.TaskSimple,
		"draw a bar chart of profit":                                tools.TaskSimple,
		"这张表有多少行":                                                   tools.TaskSimple,
		"按地区汇总销售额":                                                  tools.TaskSimple,
		"画出各区域利润的柱状图":                                               tools.TaskSimple,
		"cluster the customers by behaviour":                        tools.TaskSteps,
		"Is there a correlation between price and demand?":          tools.TaskSteps,
		"find outliers in the average order value":                  tools.TaskSteps,
		"first clean the dates, then compute the rolling mean":      tools.TaskSteps,
		"预测下个月的销售额":                                                 tools.TaskSteps,
		"先过滤异常值再计算利润率":                                              tools.TaskSteps,
		"计算前100个质数的和":                                               tools.TaskSteps,
		"the sum of the first 100 primes":                           tools.TaskSteps,
		"download the exchange rates from the web and convert":      tools.TaskExternal,
		"see https://example.com/data.csv":                          tools.TaskExternal,
		"read /etc/passwd and summarise it":                         tools.TaskExternal,
		"联网查询最新汇率":                                                  tools.TaskExternal,
		"读取服务器上的日志文件":                                               tools.TaskExternal,
		"write the corrected prices into the production database":   tools.TaskWrite,
		"delete the duplicate orders from the database":             tools.TaskWrite,
		"send an email to every customer with more than 10 returns": tools.TaskWrite,
		"把结果写入业务系统":                                                 tools.TaskWrite,
		"给这些客户群发短信":                                                 tools.TaskWrite,
		"hello":                                                     tools.TaskUnknown,
		"利润":                                                        tools.TaskUnknown,
		"":                                                          tools.TaskUnknown,
		// not what they look like
		"total sales by category, without the deleted rows":   tools.TaskSimple,
		"how many orders were placed per month":               tools.TaskSimple,
		"show me the price and the url column":                tools.TaskSimple,
		"what share of e-mails was opened":                    tools.TaskSimple,
		"customers who download the most":                     tools.TaskUnknown,
		"更新后的价格平均是多少":                                         tools.TaskSimple,
		"number of rows per system in the database of orders": tools.TaskSimple,
	} {
		if got := tools.NewClassifier().Classify(question); got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}

// The first article: who runs the tools chooses the image by the task, among a
// few that are fixed; a model does not decide what is installed.
func TestM29_AQuestionTellsItsImage(t *testing.T) {
	for question, want := range map[string]string{
		"这张表有多少行":                              tools.ImageBasic,
		"按地区汇总销售额":                             tools.ImageBasic,
		"画出营收的柱状图":                             tools.ImageBasic,
		"先清洗再计算利润率":                            tools.ImageBasic,
		"计算前100个质数的和":                          tools.ImageBasic,
		"":                                     tools.ImageBasic,
		"correlation between price and demand": tools.ImageBasic,
		"which class of goods sells best":      tools.ImageBasic,
		"how many train tickets were sold":     tools.ImageBasic,
		"Is the difference significant?":       tools.ImageStats,
		"run a linear regression of 营收":        tools.ImageStats,
		"预测下个月的销售额":                            tools.ImageStats,
		"两组的均值做 t 检验":                          tools.ImageStats,
		"对企业做聚类分析":                             tools.ImageLearning,
		"use K-Means with 4 clusters":          tools.ImageLearning,
		"主成分分析后再回归":                            tools.ImageLearning,
		"train a model that predicts churn":    tools.ImageLearning,
		"用 sklearn 训练分类模型":                     tools.ImageLearning,
	} {
		if got := tools.NewClassifier().Image(question); got != want {
			t.Errorf("%q: %s, want %s", question, got, want)
		}
	}
}
