package observe

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// gap finds what a sentence shows where a value was to stand and there was none.
var gap = regexp.MustCompile(`""|“”|  |[{}]| \(\)|\( |（）|: ?[.;,]( |$)|：[。；，]| [.,;:]( |$)|, ,|、、|\?"`)

// tableName finds the names that are there only when data was given.
var tableName = regexp.MustCompile(`\bdfs?\b`)

// wrong returns what reads wrongly in a sentence that is said with or without data.
func wrong(said string, given bool) string {
	said = strings.ReplaceAll(said, `replace(",", "")`, "") // code of ours, and right
	if found := gap.FindString(said); found != "" || strings.TrimSpace(said) == "" {
		return "a gap " + found
	}
	for _, denial := range []string{"no df is loaded", "没有加载 df", "dfs is empty", "dfs 是空的"} {
		if given && strings.Contains(said, denial) {
			return "data is denied"
		}
		said = strings.ReplaceAll(said, denial, "")
	}
	if !given && tableName.MatchString(said) {
		return "a promise of df"
	}
	return ""
}

// classes are all that have a hint.
func classes() []class {
	all := slices.Concat(
		slices.Collect(maps.Keys(hints)), slices.Collect(maps.Keys(finer)), slices.Collect(maps.Keys(barer)), slices.Collect(maps.Keys(sessionHints)),
	)
	slices.Sort(all)
	return slices.Compact(all)
}

// knowledge is what may be known of a failure, each by itself.
var knowledge = []func(*Input, *fault){
	func(in *Input, f *fault) {
		in.Datasets = []cellwall.Dataset{{Name: "sales.csv", Format: "csv", Rows: 50, RowsGiven: 10}}
		in.Inputs = []string{"sales.csv"}
	},
	func(in *Input, f *fault) {
		f.table = sales
		f.table.Name = "orders"
		in.Tables = []cellwall.TableInScope{f.table}
	},
	func(in *Input, f *fault) { f.name = "revenu" },
	func(in *Input, f *fault) { f.message = `time data "soon" doesn't match` },
	func(in *Input, f *fault) {
		f.message, f.line = "Can only use .dt accessor with datetimelike values", `x = orders["order_date"].dt.year`
	},
	func(in *Input, f *fault) { id := "sess_a"; in.Result.SessionID = &id },
	func(in *Input, f *fault) {
		in.Result.Cause, in.Refused = "signal:SIGSEGV", []cellwall.Refusal{{Call: "bpf"}}
		in.Result.Status, in.Result.Findings = cellwall.StatusRefused, []cellwall.Finding{{Rule: "import", Line: 1, Message: "no"}}
	},
	func(in *Input, f *fault) { in.Code, in.Result.Stdout.Bytes = "while True:\n    print(1)\n", 1<<20 },
}

// What is not known leaves no gap in a sentence, and what is not there is not promised.
func TestM10_AHintWithoutAValueStillReads(t *testing.T) {
	said := map[string]bool{}
	for set := range 1 << len(knowledge) {
		in, f := Input{Result: &cellwall.Result{}}, fault{class: classTimeout} // so that its loop is a fact
		for i, know := range knowledge {
			if set&(1<<i) != 0 {
				know(&in, &f)
			}
		}
		for _, in.Language = range []string{"en", "zh"} {
			o := newObserver(in)
			facts := o.facts(f)
			for _, c := range classes() {
				hint := o.fullest(c, facts)
				key := fmt.Sprint(o.given(), len(f.table.Columns), hint) // a promise depends on what there is
				if said[key] {
					continue
				}
				said[key] = true
				if bad := wrong(hint, o.given()); bad != "" {
					t.Errorf("%s with %b: %s in %q", c, set, bad, hint)
				}
				if strings.Contains(hint, "available_columns") && len(f.table.Columns) == 0 || strings.Contains(hint, "did_you_mean") {
					t.Errorf("%s with %b names a field that is empty: %q", c, set, hint)
				}
			}
		}
	}
	if len(said) < 2*len(classes()) {
		t.Errorf("%d hints of %d classes were said", len(said), len(classes()))
	}
}

// column finds what the code itself wrote, who calls a table of its own df.
var column = regexp.MustCompile(`df\["(region|revenue)"\]`)

// The same for what exceptions say of themselves, with data and without.
func TestM10_NoExceptionIsAnsweredWithAGap(t *testing.T) {
	raw, err := os.ReadFile("testdata/errors.json")
	if err != nil {
		t.Fatal(err)
	}
	var corpus []struct{ Type, Message, Traceback, Name string }
	if err := json.Unmarshal(raw, &corpus); err != nil {
		t.Fatal(err)
	}
	for _, c := range corpus {
		for _, message := range []string{c.Message, "", " "} {
			e := cellwall.ExecutionError{Type: c.Type, Message: message, Traceback: c.Traceback, Line: 1}
			with, without := failed(e), Input{Result: &cellwall.Result{Status: cellwall.StatusError, Error: &e}}
			for _, in := range []Input{with, without} {
				for _, in.Language = range []string{"en", "zh"} {
					o := Observe(in)
					if bad := wrong(column.ReplaceAllString(o.RetryHint, "t"), in.Inputs != nil); bad != "" {
						t.Errorf("%s: %q, data %t: %s in %q", c.Type, message, in.Inputs != nil, bad, o.RetryHint)
					}
				}
			}
		}
	}
}

// A notice is told as the driver sent it, with every argument, one less or one empty.
func TestM11_ANoticeWithoutAnArgumentStillReads(t *testing.T) {
	for code, p := range notices {
		names := blanks(p.en)
		for _, value := range []string{"7", "", " "} {
			args := map[string]string{}
			for _, name := range names {
				args[name] = value
			}
			in := good()
			in.Notices = []cellwall.Notice{{Code: code, Args: args}}
			in.Result.Restored = &cellwall.Restored{Checkpoint: "cp_a", Cells: 1, Lost: in.Notices}
			for _, in.Language = range []string{"en", "zh"} {
				for _, said := range Warnings(in) {
					if bad := wrong(strings.ReplaceAll(said, `"?"`, "7"), true); bad != "" {
						t.Errorf("%s with %q: %s in %q", code, value, bad, said)
					}
				}
			}
		}
	}
}
