package observe

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// ended is an input for code that met a limit.
func ended(status cellwall.Status, cause cellwall.Cause, code string, printed int64) Input {
	return Input{
		Result: &cellwall.Result{Status: status, Cause: cause, Stdout: cellwall.Output{Bytes: printed}},
		Code:   code, Limits: cellwall.Limits{Timeout: 8 * time.Second},
	}
}

// given is in, with two files of which the second has sheets.
func given(in Input) Input {
	in.Datasets = []cellwall.Dataset{
		{Name: "sales.csv", Format: "csv", HeaderRow: 1, Bytes: 64 << 20, Rows: 90, RowsGiven: 90},
		{Name: "stores.xlsx", Format: "xlsx", Tables: []cellwall.Table{{Name: "stores/targets"}}},
	}
	in.Inputs, in.Tables = []string{"sales.csv", "stores.xlsx"}, []cellwall.TableInScope{sales}
	return in
}

// bare is in without any data.
func bare(in Input) Input {
	in.Datasets, in.Inputs, in.Tables = nil, nil, nil
	return in
}

// forward is what a hint must say, and must not, in English and in Chinese.
type forward struct {
	in       Input
	en, zh   []string
	not      []string // in neither language
	meant    []string
	columned bool
}

func TestM10_AHintLeadsOut(t *testing.T) {
	for name, c := range merge(limitsMet(), namesMissed(), kindsMistaken(), dataMissed()) {
		for _, c.in.Language = range []string{"en", "zh"} {
			o := Observe(c.in)
			want := c.en
			if c.in.Language == "zh" {
				want = c.zh
			}
			for _, w := range want {
				if !strings.Contains(o.RetryHint, w) {
					t.Errorf("%s: no %q in %q", name, w, o.RetryHint)
				}
			}
			for _, n := range append(c.not, `""`) {
				if strings.Contains(o.RetryHint, n) {
					t.Errorf("%s: %q in %q", name, n, o.RetryHint)
				}
			}
			if !slices.Equal(o.DidYouMean, c.meant) || (len(o.AvailableColumns) > 0) != c.columned {
				t.Errorf("%s: meant %q, want %q; columns %q", name, o.DidYouMean, c.meant, o.AvailableColumns)
			}
		}
	}
}

func merge(parts ...map[string]forward) map[string]forward {
	all := map[string]forward{}
	for _, p := range parts {
		for name, c := range p {
			all[name] = c
		}
	}
	return all
}

func limitsMet() map[string]forward {
	const spin, tells, long = "x = 1\nwhile True:  # wait\n    pass\n", "while n > 0: print(n)\n", "for i in range(10**7): print(i)\n"
	timeout, deadline, memory := cellwall.StatusTimeout, cellwall.CauseDeadline, cellwall.StatusMemoryLimit
	return map[string]forward{
		"a loop without an end": {
			in: ended(timeout, deadline, spin, 0), en: []string{`The loop "while True:`, "8 s"}, zh: []string{`循环 "while True:`}, not: []string{"printed", "输出"},
		},
		"a loop that prints": {in: ended(timeout, deadline, tells, 3<<20), en: []string{"printed 3 MiB", `loop "while n > 0`}, zh: []string{"已输出 3 MiB"}},
		"much printed":       {in: ended(timeout, deadline, long, 30<<20), en: []string{"printed 30 MiB", "summary"}, zh: []string{"已输出 30 MiB", "摘要"}},
		"no loop":            {in: ended(timeout, deadline, "fit(df)", 100), en: []string{"every loop comes to an end", "aggregate"}, zh: []string{"每个循环是否会结束"}, not: []string{"printed"}},
		"too much output":    {in: ended(cellwall.StatusOutputLimit, cellwall.CauseOutput, tells, 64<<20), en: []string{`loop "while n > 0`, "64 MiB"}, zh: []string{"while n > 0"}},
		"a large file": {
			in: given(ended(memory, cellwall.CauseOOM, "", 0)),
			en: []string{`pd.read_csv("/workspace/input/sales.csv", usecols=[…], chunksize=500_000)`}, zh: []string{`chunksize=500_000)`, "分块"},
		},
		"no file": {in: ended(memory, cellwall.CauseOOM, "", 0), en: []string{"512 MiB", "aggregate early"}, zh: []string{"512 MiB"}, not: []string{"read_csv"}},
	}
}

func namesMissed() map[string]forward {
	return map[string]forward{
		"a column like none": {
			in: given(raised("KeyError", "'地区'", "地区", `df.groupby("地区").sum()`)), columned: true,
			en: []string{`df has no column "地区"`, "available_columns"}, zh: []string{`df 中没有列 "地区"`}, not: []string{"did_you_mean"},
		},
		"a column that is there": {
			in: given(raised("KeyError", "'region'", "region", `df.plot(x="region", y="region")`)), columned: true,
			en: []string{`df has a column "region"`, "reset_index"}, zh: []string{`df 中有列 "region"`}, not: []string{"no column", "没有列", "did_you_mean"},
		},
		"a library's library": {
			in: given(raised("AttributeError", "The '.style' accessor requires jinja2", "style", "df.style")), columned: true,
			en: []string{`"jinja2" is not installed`}, zh: []string{`"jinja2" 没有安装`}, not: []string{"attribute", "属性"},
		},
		"a library's word on a value": {
			in: given(raised("ValueError", "this method requires numbers", "", "f(df)")), columned: true, en: []string{"Read the message"}, zh: []string{"请阅读"}, not: []string{"install"},
		},
		"what numpy gave up": {
			in: given(raised("AttributeError", "module 'numpy' has no attribute 'float'.\n`np.float` was a deprecated alias for the builtin `float`.", "float", "np.float")), columned: true,
			en: []string{"Write instead: float / np.float64"}, zh: []string{"请改为：float / np.float64"},
		},
		"what numpy calls by Python's name": {
			in: given(raised("AttributeError", "module 'numpy' has no attribute 'complex'.\n`np.complex` was a deprecated alias for the builtin `complex`.", "complex", "np.complex")), columned: true,
			en: []string{"Write instead: complex"}, zh: []string{"请改为：complex"},
		},
		"an attribute that nobody names": {
			in: given(raised("AttributeError", "the model was not fitted", "", "m.score()")), columned: true, en: []string{"Read the message"}, zh: []string{"请阅读"}, not: []string{"attribute", "属性"},
		},
		"a notebook's question": {
			in: given(raised("NotAvailable", "the notebook command df? is not available in this sandbox: write help(df)", "", "df?")),
			en: []string{`"write help(df)"`}, zh: []string{`"write help(df)"`}, not: []string{"shell", "pandas"},
		},
		"a notebook's cell": {
			in: given(raised("SyntaxError", "the notebook command %%sql is not available in this sandbox", "", "%%sql")),
			en: []string{"leave the line out"}, zh: []string{"去掉这一行"}, not: []string{"shell", "pandas", "brackets"},
		},
		"a shell's command": {
			in: given(raised("NotAvailable", "running a shell command (!ls) is not available in this sandbox", "", "!ls")), columned: true, en: []string{"There is no shell"}, zh: []string{"shell"},
		},
		"a module of one's own": {
			in: given(raised("ModuleNotFoundError", "No module named 'helper'", "helper", "import helper")), columned: true,
			en: []string{`"helper" is not installed`, "only this one program is sent"}, zh: []string{`"helper" 没有安装`, "只发送这一个程序"},
		},
		"a package that many know": {
			in: given(raised("ModuleNotFoundError", "No module named 'torch.nn'", "torch.nn", "import torch.nn")), columned: true,
			en: []string{"is not installed"}, zh: []string{"没有安装"}, not: []string{"program", "程序"},
		},
		"a file beside the program": {
			in: given(raised("ImportError", "attempted relative import with no known parent package", "", "from .helper import x")), columned: true,
			en: []string{"Only this one program is sent"}, zh: []string{"只发送这一个程序"}, not: []string{"dir("},
		},
		"a column like another": {
			in: given(raised("KeyError", "'revenu'", "revenu", `df["revenu"]`)), columned: true, meant: []string{"revenue"},
			en: []string{"did_you_mean"}, zh: []string{"did_you_mean"},
		},
		"a key of dfs": {
			in: given(raised("KeyError", "'targets'", "targets", `t = dfs["targets"]`)), meant: []string{"stores/targets"},
			en: []string{`dfs has no table "targets"`, `"sales", "stores", "stores/targets"`, "did_you_mean"}, zh: []string{`"sales"、"stores"、"stores/targets"`}, not: []string{"Print the keys"},
		},
		"a key of dfs like none": {
			in: given(raised("KeyError", "'q'", "q", `dfs['q']["revenue"]`)), en: []string{`no table "q"`, `"stores/targets"`}, zh: []string{`"stores/targets"`}, not: []string{"did_you_mean"},
		},
		"a key of an empty dfs": {in: bare(raised("KeyError", "'q'", "q", `dfs["q"]`)), en: []string{"dfs is empty", "no data file"}, zh: []string{"没有提供数据文件"}},
		"a column of a table of dfs": {
			in: given(raised("KeyError", "'revenu'", "revenu", `dfs["sales"]["revenu"]`)), columned: true, meant: []string{"revenue"}, en: []string{"no column"}, zh: []string{"没有列"},
		},
		"a method": {
			in: given(raised("AttributeError", "'DataFrame' object has no attribute 'sort_value'", "sort_value", `df.sort_value("a")`)), columned: true,
			meant: []string{"sort_values"}, en: []string{"did_you_mean"}, zh: []string{"did_you_mean"},
		},
		"a module of the network": {
			in: given(raised("ModuleNotFoundError", "No module named 'yfinance'", "yfinance", "import yfinance as yf")), columned: true,
			en: []string{`"yfinance" needs a network`, "network is off", "already in df", "urllib"}, zh: []string{"network is off", "df"}, not: []string{"install"},
		},
		"a module of the network, no data": {
			in: bare(raised("ModuleNotFoundError", "No module named 'requests'", "requests", "import requests")), en: []string{"network is off", "no df"}, zh: []string{"没有加载 df"},
		},
	}
}
