package tools

import (
	"embed"
	"encoding/json"
	"fmt"
)

// The tools, in the order in which they are offered.
const (
	InspectData = "inspect_data"
	QueryData   = "query_data"
	MakeChart   = "make_chart"
	RunPython   = "run_python"
)

// Names lists every tool.
func Names() []string { return []string{InspectData, QueryData, MakeChart, RunPython} }

// Language is what a model or a person reads: [English] or [Chinese].
type Language string

// The languages.
const (
	English Language = "en"
	Chinese Language = "zh"
)

// Tool is one of them as a model is told of it.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // of its arguments, draft 2020-12
	ReadOnly    bool            `json:"read_only"`
}

//go:embed schemas/*.json
var schemas embed.FS

// All describes every tool in a language.
func All(l Language) []Tool {
	list := make([]Tool, 0, len(Names()))
	for _, name := range Names() {
		list = append(list, Tool{
			Name: name, Description: l.Text(describe[name]), Schema: schemaOf(name), ReadOnly: name != RunPython,
		})
	}
	return list
}

// schemaOf reads what is built in.
func schemaOf(name string) json.RawMessage {
	raw, err := schemas.ReadFile("schemas/" + name + ".json")
	if err != nil {
		panic(fmt.Sprintf("tools: no schema of %s: %v", name, err))
	}
	return raw
}

// describe says what each tool is for. A model reads it with every request:
// short, and when to take another one.
var describe = map[string]Phrase{
	InspectData: {
		"Show the tables: columns, types, missing values, examples, row counts. Call it first.",
		"查看数据表：列名、类型、缺失值、示例和行数。请最先调用。",
	},
	QueryData: {
		"Run one read-only SQL SELECT (DuckDB) over every row. For counts, filters, sums and joins.",
		"对全部数据行执行一条只读 SQL SELECT（DuckDB）。用于计数、筛选、汇总和连接。",
	},
	MakeChart: {
		"Draw one chart from a spec; returns the image and the numbers behind it. For standard charts.",
		"按规格绘制一张图表，返回图片及其背后的数据。用于标准图表。",
	},
	FetchData: {
		"Fetch one data file from the web; it becomes a table beside the others. Only for data that the user asked for.",
		"从网络获取一个数据文件，作为新的数据表加入。仅用于用户要求的数据。",
	},
	RunPython: {
		"Run a Python program with pandas on the data, loaded as df. For several steps, cleaning, statistics and what SQL cannot say. " +
			"No network, no other files; save to out_dir.",
		"在沙箱中运行 Python（pandas），数据已加载为 df。用于多步处理、清洗、统计以及 SQL 无法表达的分析。无网络，不能读取其他文件；结果保存到 out_dir。",
	},
}
