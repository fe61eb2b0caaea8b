package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/policy"
)

// False alarms are failures: what people wrote passes the profile default.
func TestM31_DefaultRefusesNothingThatPeopleWrote(t *testing.T) {
	h, check := realChain(t)
	programs := map[string]string{}
	for _, c := range casesOf(t) {
		if !slices.Contains(c.Expect.Status, "refused") {
			programs[c.ID] = c.Code
		}
		for n, cell := range c.Cells {
			programs[c.ID+" "+string(rune('a'+n))] = cell.Code
		}
	}
	for _, pattern := range []string{"../../testdata/cases/*.py", "../../examples/*.py", "../../examples/*/*.py"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			programs[path] = string(text)
		}
	}
	if len(programs) < 45 {
		t.Errorf("only %d programs were found", len(programs))
	}
	for name, source := range programs {
		if found, verdict := check(source, policy.Default); verdict == policy.Refuse {
			t.Errorf("%s is refused: %+v", name, found)
		}
	}
	snippets := docstrings(t, h)
	advised := 0
	for _, source := range snippets {
		found, verdict := check(source, policy.Default)
		if verdict == policy.Refuse {
			t.Errorf("refused: %+v of\n%s", found, source)
		}
		if verdict == policy.Advise {
			advised++
		}
	}
	t.Logf("%d snippets, advice on %d of them", len(snippets), advised)
	for _, source := range snippets {
		programs[source] = source
	}
	for _, source := range bypasses() {
		programs[source] = source
	}
	theGlanceIsRight(t, h, check, programs)
}

// wordly is a parser without the short way.
type wordly struct{ policy.Parser }

// theGlanceIsRight compares strict findings with those of a chain that asks for the
// outline of every program.
func theGlanceIsRight(t *testing.T, h *house, check func(string, policy.Profile) ([]cellwall.Finding, policy.Verdict), programs map[string]string) {
	t.Helper()
	env, err := h.environments.Open(defaultEnvironment)
	if err != nil {
		t.Fatal(err)
	}
	parsers := policy.NewCheckers(policy.CheckersOptions{Open: policy.Behind(h.backend, false)})
	defer parsers.Close()
	long, err := policy.New(policy.Options{Parser: wordly{parsers}})
	if err != nil {
		t.Fatal(err)
	}
	passed := 0
	for name, source := range programs {
		short, verdict := check(source, policy.Strict)
		found, want, err := long.Check(t.Context(), policy.Program{Source: source, Profile: policy.Strict, Environment: env})
		if err != nil || verdict != want || !slices.Equal(short, found) {
			t.Errorf("%.60q: %s %+v at a glance, %s %+v by the outline (%v)", name, verdict, short, want, found, err)
		}
		if verdict == policy.Pass {
			passed++
		}
	}
	t.Logf("%d programs, %d pass strict", len(programs), passed)
}

type casesProgram struct {
	ID, Code string
	Cells    []struct{ Code string }
	Expect   struct{ Status []string }
}

func casesOf(t *testing.T) (list []casesProgram) {
	t.Helper()
	raw, err := os.ReadFile("../../testdata/cases/user-cases.json")
	if err == nil {
		err = json.Unmarshal(raw, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// docstrings takes 500 examples of the installed packages, in the sandbox where
// they are: every ninth or so, the same at each run.
func docstrings(t *testing.T, h *house) (list []string) {
	t.Helper()
	r, err := h.controller.Run(t.Context(), cellwall.Request{
		Profile: "off", Limits: cellwall.Limits{OutputKeepBytes: 2 * cellwall.MiB, Timeout: 250e9, MemoryBytes: cellwall.GiB},
		Code: `
import doctest, inspect, json
import matplotlib.pyplot, pandas.api.extensions, pandas.tseries.offsets
read, seen, found = doctest.DocTestParser(), set(), []
def look(thing, depth):
    if id(thing) in seen or depth > 3:
        return
    seen.add(id(thing))
    try:
        text = inspect.getdoc(thing) or ""
        code = "".join(e.source for e in read.get_examples(text))
    except Exception:
        code = ""
    if code:
        found.append(code)
    if inspect.ismodule(thing) or inspect.isclass(thing):
        for name in sorted(vars(thing)):
            below = vars(thing)[name]
            where = getattr(below, "__module__", None) or getattr(below, "__name__", "")
            if name[0] != "_" and str(where).split(".")[0] in ("pandas", "numpy", "matplotlib"):
                look(below, depth + 1)
for module in (pd, np, plt, matplotlib):
    look(module, 0)
found = sorted(set(found))
print(json.dumps(found[:: max(1, len(found) // 500)][:500]))
`,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(r.Stdout.Text), &list); err != nil || len(list) != 500 {
		t.Fatalf("%d snippets (%v): %s %+v", len(list), err, r.Status, r.Error)
	}
	return list
}

// hostileSources are text that means its parser harm, by row of the catalogue. The
// first of each row also goes through the controller.
var hostileSources = []struct{ row, name, source string }{
	{"D97", "parentheses", strings.Repeat("(", 99_999)},
	{"D97", "minus, by the hundred", strings.Repeat("-", 2_900) + "1"},
	{"D97", "minus, all there is", strings.Repeat("-", 99_999)},
	{"D97", "lambda", strings.Repeat("lambda:", 5_000) + "1"},
	{"D98", "one character too many", strings.Repeat("x", cellwall.MaxCodeBytes+1)},
	{"D98", "a list of numbers", strings.Repeat("0,", 49_999)},
	{"D98", "one long line", "x = '" + strings.Repeat("y", 99_000) + "'"},
	{"D98", "many lines", strings.Repeat("\n", 99_999)},
	{"D98", "many names", manyNames(14_000)},
	{"D99", "a NUL byte", "x = 1\x00"},
	{"D99", "a mark in the middle", "x = 1\n\uFEFFy = 2"},
	{"D99", "line ends of old", "x = 1\rimport os\r"},
	{"D99", "form feeds", "\fx = 1\n\f\fimport os"},
	{"D99", "half a character", "x = '\xed\xa0\x80'"},
	{"D99", "UTF-16", "\xff\xfex\x00"},
	{"D100", "a foreign cookie", "# coding: utf-7\n+AGkAbQBwAG8AcgB0- os"},
	{"D100", "an unknown cookie", "# -*- coding: nothing -*-\nx = 1"},
	{"D101", "characters that turn", "access = 'user\u202e \u2066# admin\u2069 \u2066'"},
	{"D101", "a letter that looks like another", "imp\u043ert = 1\n\u0435xec = 2"},
	{"D102", "a long number", "x = " + strings.Repeat("9", 5_000)},
	{"D102", "a power", "x = 2**10**9"},
	{"D102", "elif", "if a: 1\n" + strings.Repeat("elif b: 1\n", 9_900)},
	{"D102", "decorators", strings.Repeat("@a\n", 20_000) + "def f(): pass"},
	{"D102", "strings within", strings.Repeat("f'{", 150) + "1" + strings.Repeat("}'", 150)},
	{"D102", "bad escapes", "x = '" + strings.Repeat(`\d`, 40_000) + "'"},
	{"D102", "additions of strings", "x = " + strings.Repeat("'a'+", 900) + "'b'"},
}

// mustRefuse are those that strict has to refuse: no two readers see them alike, or
// no parser takes them.
var mustRefuse = []string{
	"parentheses", "minus, all there is", "lambda", "one character too many", "a NUL byte", "a mark in the middle", "line ends of old",
	"form feeds", "half a character", "UTF-16", "a long number", "elif", "strings within",
}

// D97 to D102: whatever the text does to its parser, it ends as a finding or passes,
// and the next program is read.
func TestD97_HostileSourceEndsAsAFindingAndTheCheckerLives(t *testing.T) {
	h, check := realChain(t)
	ran := map[string]bool{}
	for _, c := range hostileSources {
		t.Run(c.row+" "+c.name, func(t *testing.T) {
			found, verdict := check(c.source, policy.Strict)
			if (verdict == policy.Refuse) != (len(found) > 0) || slices.Contains(mustRefuse, c.name) != (verdict == policy.Refuse) {
				t.Errorf("%s with %+v", verdict, found)
			}
			t.Logf("%s %.100q", verdict, messages(found))
			if _, verdict := check("print(1)", policy.Strict); verdict != policy.Pass {
				t.Fatalf("the next program is %s", verdict)
			}
			if ran[c.row] && !testkit.Long() {
				return
			}
			ran[c.row] = true
			r, err := h.controller.Run(t.Context(), cellwall.Request{Code: c.source, Profile: "strict"})
			if err != nil || verdict == policy.Refuse && r.Status != cellwall.StatusRefused {
				t.Errorf("through the controller: %v, %+v", err, r)
			}
		})
	}
	for _, row := range []string{"D97", "D98", "D99", "D100", "D101", "D102"} {
		if !ran[row] {
			t.Errorf("nothing of %s ran", row)
		}
	}
}

func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("a" + strings.Repeat("b", i%3) + string(rune('0'+i%10)) + string(rune(0x4e00+i)) + "\n")
	}
	return b.String()
}

// ends is a real interpreter that ends under one program, as one with a hole would.
type ends struct{ cellwall.Interpreter }

func (e ends) Ask(ctx context.Context, q cellwall.Question) (cellwall.Answer, error) {
	if q.Text == "deadly" {
		if err := e.Close(); err != nil {
			return cellwall.Answer{}, err
		}
	}
	return e.Interpreter.Ask(ctx, q)
}

func TestP22_ADeadParserIsReplacedAndWhoKilledItIsRefused(t *testing.T) {
	h, _ := realChain(t)
	env, err := h.environments.Open(defaultEnvironment)
	if err != nil {
		t.Fatal(err)
	}
	opened := 0
	real := policy.Behind(h.backend, false)
	parsers := policy.NewCheckers(policy.CheckersOptions{
		Programs: 3, Open: func(ctx context.Context, env cellwall.Environment) (cellwall.Interpreter, error) {
			opened++
			i, err := real(ctx, env)
			return ends{i}, err
		},
	})
	defer func() {
		if err := parsers.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, step := range []struct {
		source string
		dies   bool
		opened int
	}{{"a", false, 1}, {"deadly", true, 2}, {"b", false, 3}, {"c", false, 3}, {"d", false, 3}, {"e", false, 4}} {
		o, err := parsers.Outline(t.Context(), env, step.source)
		if step.dies != errors.Is(err, policy.ErrGaveUp) || !step.dies && (err != nil || o.Names[step.source] != 1) || opened != step.opened {
			t.Errorf("%q: %+v %v, %d opened, want %d", step.source, o, err, opened, step.opened)
		}
	}
	boundary, err := real(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	defer boundary.Close()
	if b := boundary.Boundary(); b.Network != "none" || len(b.Degraded) > 0 {
		t.Errorf("the parser stands behind %+v", b)
	}
}

func TestM31_AStrictProgramIsRefusedWithRuleAndLine(t *testing.T) {
	h, _ := realChain(t)
	r, err := h.controller.Run(t.Context(), cellwall.Request{Code: "import math\nimport subprocess\nprint(math.pi)\n", Profile: "strict"})
	if err != nil {
		t.Fatal(err)
	}
	o := r.Observation
	if r.Status != cellwall.StatusRefused || o.FailedLine != 2 || !strings.Contains(o.ErrorMessage, "subprocess") ||
		!strings.Contains(o.ErrorMessage, "instead: pandas") || o.RetryHint == "" {
		t.Errorf("%s %+v", r.Status, o)
	}
	r, err = h.controller.Run(t.Context(), cellwall.Request{Code: "1 / 0\ninput()", Profile: "default"})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 || !r.Findings[0].Advice || r.Observation.FailedLine != 1 || r.Status != cellwall.StatusError {
		t.Errorf("advice became the failure: %s %+v %+v", r.Status, r.Findings, r.Observation)
	}
}

// BenchmarkStrict is the whole chain over a program of 100 lines, in a warm parser.
func BenchmarkStrict(b *testing.B) {
	h, err := newProgram().openHouse(&config{StateDir: b.TempDir()}, houseOptions{backend: defaultBackend, environment: defaultEnvironment})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	state, err := builtState()
	if err != nil {
		b.Skipf("python-data-basic does not stand in the state directory, proof: %v", err)
	}
	env, err := openStore(&config{StateDir: state}).Open(defaultEnvironment)
	if err != nil {
		b.Fatal(err)
	}
	source := programHundredLines()
	check := func() time.Duration {
		began := time.Now()
		if _, v, err := h.chain.Check(b.Context(), policy.Program{Source: source, Profile: policy.Strict, Environment: env}); v != policy.Pass || err != nil {
			b.Fatal(v, err)
		}
		return time.Since(began)
	}
	check() // opens it
	var took []time.Duration
	for b.Loop() {
		took = append(took, check())
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/1e6, "ms-median")
	b.ReportMetric(float64(took[0])/1e6, "ms-best")
}
