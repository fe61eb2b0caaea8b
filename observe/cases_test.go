package observe

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

func errorOf(kind, message string) *cellwall.ExecutionError {
	return &cellwall.ExecutionError{Type: kind, Message: message, Line: 1}
}

// whole is the observation as a model reads it, lower case.
func whole(t *testing.T, o cellwall.Observation) string {
	t.Helper()
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ToLower(string(b))
}

// A case of a user: how the run ended and what the observation must say, one
// of the texts at least, in both languages.
func TestM10_WhatUsersStumbledOver(t *testing.T) {
	status := func(s cellwall.Status, c cellwall.Cause, e *cellwall.ExecutionError) Input {
		in := failed(cellwall.ExecutionError{})
		in.Result.Status, in.Result.Cause, in.Result.Error = s, c, e
		return in
	}
	exception := func(kind, message, name, code string) Input {
		return failed(cellwall.ExecutionError{
			Type: kind, Message: message, Name: name, Line: 1, Excerpt: code,
			Traceback: "Traceback (most recent call last):\n  File \"<cell>\", line 1, in <module>\n    " + code + "\n",
		})
	}
	timeout := status(cellwall.StatusTimeout, cellwall.CauseDeadline, nil)
	timeout.Limits.Timeout = 2 * time.Second
	timeout.Result.Stdout = cellwall.Output{Text: "step 1 loaded 4 rows\n", Bytes: 21}
	threads := status(cellwall.StatusProcessLimit, cellwall.CauseProcesses, errorOf("RuntimeError", "can't start new thread"))
	threads.Limits.Processes = 32
	stuck := status(cellwall.StatusTimeout, cellwall.CauseDeadline, nil)
	stuck.Met, stuck.Limits.Processes = []cellwall.Cause{cellwall.CauseProcesses}, 32
	two := status(cellwall.StatusMemoryLimit, cellwall.CauseOOM, nil)
	two.Met = []cellwall.Cause{cellwall.CauseOOM, cellwall.CauseProcesses}
	network := exception("PermissionError", "[Errno 1] Operation not permitted", "", "socket.socket()")
	network.Refused = []cellwall.Refusal{{Call: "socket(AF_INET)", Count: 2}}
	trace := exception("PermissionError", "[Errno 1] Operation not permitted", "", "libc.ptrace(0)")
	trace.Refused = []cellwall.Refusal{{Call: "ptrace", Count: 1}}
	rejected := func(rule, message string) Input {
		in := status(cellwall.StatusRefused, cellwall.CausePolicy, nil)
		in.Result.Findings = []cellwall.Finding{{Rule: rule, Line: 1, Message: message}}
		return in
	}
	refused := status(cellwall.StatusRefused, cellwall.CausePolicy, nil)
	refused.Result.Findings = []cellwall.Finding{{Rule: "import", Line: 2, Message: "subprocess is not allowed"}}

	for name, c := range map[string]struct {
		in   Input
		any  []string
		must []string
	}{
		"U08 time":              {timeout, []string{"2s", "2 s"}, []string{"retry_hint", "step 1 loaded"}},
		"U09 input":             {exception("EOFError", "EOF when reading a line", "", "input()"), []string{"stdin"}, nil},
		"U12 memory":            {status(cellwall.StatusMemoryLimit, cellwall.CauseOOM, nil), []string{"512 mib"}, []string{"memory", "retry_hint"}},
		"U15 threads":           {threads, []string{"32"}, []string{"process"}},
		"waits for workers":     {stuck, []string{"n_jobs=1"}, []string{"32", "8 s", "process"}},
		"two limits":            {two, []string{"also met its limit of processes", "触到了上限：进程数"}, []string{"512 mib"}},
		"U20 install":           {exception("NotAvailable", "pip is not available: nothing can be installed in this sandbox.", "", "!pip install x"), []string{"install"}, []string{"pandas", "numpy"}},
		"U22 NUL":               {status(cellwall.StatusRefused, cellwall.CausePolicy, errorOf("SyntaxError", "source code string cannot contain null bytes")), []string{"null", "nul"}, []string{"source code"}},
		"U27 thousands":         {exception("ValueError", "invalid literal for int() with base 10: '1,234'", "", "s.astype(int)"), []string{"to_numeric"}, []string{"replace", "1,234"}},
		"U28 module":            {exception("ModuleNotFoundError", "No module named 'prophet'", "prophet", "import prophet"), []string{"prophet"}, []string{"pandas", "numpy", "matplotlib"}},
		"U29 file":              {exception("FileNotFoundError", "[Errno 2] No such file or directory: 'data.csv'", "data.csv", "pd.read_csv('data.csv')"), []string{"df"}, []string{"/workspace/input/sales.csv"}},
		"U30 network":           {exception("URLError", "<urlopen error [Errno -3] Temporary failure in name resolution>", "", "urlopen(u)"), []string{"network"}, nil},
		"refused socket":        {network, []string{"network"}, nil},
		"UTF-16 source":         {rejected("encoding", "the code is UTF-16; save it as UTF-8"), []string{"utf-16"}, []string{"utf-8"}},
		"NUL source":            {rejected("nul_byte", "the code holds a NUL byte"), []string{"source code"}, []string{"nul"}},
		"refused call":          {trace, []string{"ptrace"}, nil},
		"U31 finding":           {refused, []string{"subprocess"}, []string{"import", `"failed_line":2`}},
		"crash":                 {status(cellwall.StatusCrashed, "signal:SIGSEGV", nil), []string{"sigsegv"}, []string{"retry_hint"}},
		"exit":                  {status(cellwall.StatusError, "exit:7", nil), []string{"exit status 7"}, nil},
		"output":                {status(cellwall.StatusOutputLimit, cellwall.CauseOutput, nil), []string{"64 mib"}, []string{"print"}},
		"disk":                  {status(cellwall.StatusDiskLimit, cellwall.CauseDisk, nil), []string{"128 mib"}, []string{"/workspace/output"}},
		"own fault":             {status(cellwall.StatusInternalError, cellwall.CauseInternal, nil), []string{"retry_hint"}, nil},
		"cancelled":             {status(cellwall.StatusCancelled, cellwall.CauseCancelled, nil), []string{"retry_hint"}, nil},
		"date with its value":   {exception("ValueError", `time data "31/12/2024" doesn't match format "%Y-%m-%d". You might`, "", "pd.to_datetime(s)"), []string{"31/12/2024"}, []string{"coerce"}},
		"name without import":   {exception("NameError", "name 'sns' is not defined", "sns", "sns.barplot()"), []string{"import seaborn as sns"}, nil},
		"what pandas took away": {exception("AttributeError", "'DataFrame' object has no attribute 'append'", "append", "df.append(x)"), []string{"pd.concat"}, nil},
	} {
		for _, language := range []string{"en", "zh", "tlh"} {
			c.in.Language = language
			o := Observe(c.in)
			text := whole(t, o)
			if !slices.ContainsFunc(c.any, func(s string) bool { return strings.Contains(text, s) }) {
				t.Errorf("%s in %s: none of %q in %s", name, language, c.any, text)
			}
			for _, m := range c.must {
				if !strings.Contains(text, m) {
					t.Errorf("%s in %s: no %q in %s", name, language, m, text)
				}
			}
			if o.OK || o.Status == "" || o.RetryHint == "" || o.ErrorMessage == "" {
				t.Errorf("%s in %s: incomplete: %s", name, language, text)
			}
		}
	}
}

func TestM10_AMisspeltColumnGetsTheRightNameBack(t *testing.T) { // U23, U24
	for code, e := range map[string]cellwall.ExecutionError{
		`df["revenu"].sum()`: {Type: "KeyError", Message: "'revenu'", Name: "revenu", Line: 2},
		`df.revenu.mean()`:   {Type: "AttributeError", Message: "'DataFrame' object has no attribute 'revenu'", Name: "revenu", Line: 2},
	} {
		e.Traceback = "Traceback (most recent call last):\n  File \"<cell>\", line 2, in <module>\n    " + code + "\n"
		e.Excerpt = code
		o := Observe(failed(e))
		if !slices.Equal(o.DidYouMean, []string{"revenue"}) || o.FailedLine != 2 || !strings.Contains(o.FailedCodeExcerpt, "revenu") {
			t.Errorf("%s: %+v", code, o)
		}
		if !slices.Equal(o.AvailableColumns, sales.Columns) || o.DTypes["revenue"] != "float64" || o.RetryHint == "" {
			t.Errorf("%s: columns %v, types %v, hint %q", code, o.AvailableColumns, o.DTypes, o.RetryHint)
		}
	}
}

func TestM10_TheTableOnTheFailingLineIsDescribed(t *testing.T) {
	in := failed(cellwall.ExecutionError{
		Type: "KeyError", Message: "'targt'", Name: "targt", Line: 1,
		Traceback: "Traceback (most recent call last):\n  File \"<cell>\", line 1, in <module>\n    x = goals[\"targt\"] / df[\"revenue\"]\n",
	})
	in.Tables = append(in.Tables, cellwall.TableInScope{Name: "goals", Columns: []string{"store", "target"}, DTypes: []string{"str", "int64"}})
	o := Observe(in)
	if !slices.Equal(o.AvailableColumns, []string{"store", "target"}) || !slices.Equal(o.DidYouMean, []string{"target"}) {
		t.Errorf("columns %v, did you mean %v", o.AvailableColumns, o.DidYouMean)
	}
	in.Tables = nil
	in.Datasets = []cellwall.Dataset{{Name: "a.csv", Columns: []cellwall.Column{{Name: "target", DType: "int64"}}}}
	if o := Observe(in); !slices.Equal(o.DidYouMean, []string{"target"}) {
		t.Errorf("without tables in scope the dataset tells nothing: %+v", o)
	}
}

func TestM10_AFileIsSuggestedByItsRealPath(t *testing.T) {
	o := Observe(failed(cellwall.ExecutionError{Type: "FileNotFoundError", Message: "…", Name: "/mnt/data/sale.csv", Line: 1}))
	if !slices.Equal(o.DidYouMean, []string{"/workspace/input/sales.csv"}) {
		t.Errorf("did you mean %v", o.DidYouMean)
	}
}
