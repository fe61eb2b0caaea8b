package observe

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// sales is the table that the corpus was made with.
var sales = cellwall.TableInScope{
	Name: "df", Rows: 2,
	Columns: []string{"region", "revenue", "cost", "qty", "order_date"},
	DTypes:  []string{"str", "float64", "int64", "int64", "str"},
}

var installed = []cellwall.Package{
	{Name: "contourpy", Version: "1"},
	{Name: "ipython", Version: "9"},
	{Name: "matplotlib", Version: "3.11.2"},
	{Name: "numpy", Version: "2.5.5"},
	{Name: "pandas", Version: "3.1.1"},
	{Name: "scikit-learn", Version: "1"},
}

// failed is an input for code that ended in an exception.
func failed(e cellwall.ExecutionError) Input {
	return Input{
		Result:   &cellwall.Result{Status: cellwall.StatusError, Cause: cellwall.CauseException, Error: &e},
		Tables:   []cellwall.TableInScope{sales},
		Inputs:   []string{"sales.csv"},
		Packages: installed,
	}
}

// The messages in testdata/errors.json are what pandas 3.1, numpy 2.5,
// matplotlib 3.11 and Python 3.13 say; each names the class it belongs to.
func TestM10_RealExceptionsFindTheirClassAndHint(t *testing.T) {
	raw, err := os.ReadFile("testdata/errors.json")
	if err != nil {
		t.Fatal(err)
	}
	var corpus []struct{ Want, Code, Type, Message, Traceback, Name string }
	if err := json.Unmarshal(raw, &corpus); err != nil {
		t.Fatal(err)
	}
	if len(corpus) < 100 {
		t.Fatalf("corpus has only %d exceptions", len(corpus))
	}
	for _, c := range corpus {
		in := failed(cellwall.ExecutionError{
			Type: c.Type, Message: c.Message, Line: 1, Traceback: c.Traceback, Name: c.Name, Excerpt: c.Code,
		})
		if got := newObserver(in).fault(); string(got.class) != c.Want {
			t.Errorf("%s: %s: %s\n  class %s, want %s (name %q, line %q)", c.Code, c.Type, c.Message, got.class, c.Want, got.name, got.line)
		}
		for _, language := range []string{"en", "zh"} {
			in.Language = language
			o := Observe(in)
			if o.RetryHint == "" || strings.ContainsAny(o.RetryHint, "{}") {
				t.Errorf("%s: hint in %s is %q", c.Code, language, o.RetryHint)
			}
		}
	}
}
