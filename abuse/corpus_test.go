package abuse

import (
	"cmp"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestCasesComeInTheOrderOfTheCatalogue(t *testing.T) {
	if all := All(); !slices.IsSortedFunc(all, func(a, b Case) int { return cmp.Compare(number(a.ID), number(b.ID)) }) {
		t.Error("they do not")
	}
}

func TestWhatIsNotPromisedIsWrittenDown(t *testing.T) {
	threats, err := os.ReadFile("../docs/THREATS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range NotPromised() {
		if row.Title == "" || row.Why == "" {
			t.Errorf("%s lacks its title or reason", row.ID)
		}
		if !strings.Contains(string(threats), row.ID) {
			t.Errorf("docs/THREATS.md does not say that %s is not promised", row.ID)
		}
	}
}

func TestEveryCaseIsWhole(t *testing.T) {
	id := regexp.MustCompile(`^[FNRDO][1-9][0-9]{0,2}$`)
	for _, c := range All() {
		if !id.MatchString(c.ID) || c.Title == "" || c.Boundary == "" {
			t.Errorf("case %q lacks id, title or boundary", c.ID)
		}
		for _, p := range []Program{c.Attack, c.Sibling} {
			if text, err := p.Source(World{}); err != nil || text == "" || (p.File != "") == (p.Text != nil) {
				t.Errorf("%s: program %q has no source of one kind: %v", c.ID, p.File, err)
			}
		}
		if _, err := Source(c.Control.Harness, World{}); err != nil && c.Control.Harness != "" {
			t.Errorf("%s: %v", c.ID, err)
		}
		for _, how := range passes(c) {
			t.Errorf("%s is held by a program that %s", c.ID, how)
		}
		if len(c.Sibling.Expect.Prints) == 0 || !strings.HasPrefix(c.Sibling.Expect.Prints[len(c.Sibling.Expect.Prints)-1], "ADMITTED") {
			t.Errorf("the sibling of %s need not report that it was admitted", c.ID)
		}
	}
}

func TestFewRowsGoWithoutAControl(t *testing.T) {
	var rows []string
	for _, c := range All() {
		u := c.Control.Unshown
		if u == nil {
			continue
		}
		rows = append(rows, c.ID)
		if u.Why == "" || u.Probe == nil {
			t.Errorf("%s gives no reason, or no probe that proves it", c.ID)
			continue
		}
		note, lacking := Lacking(c)
		if !strings.Contains(note, "; proof: ") {
			t.Errorf("the probe of %s has nothing to show: %s", c.ID, note)
		}
		if lacking {
			t.Logf("%s: %s", c.ID, note)
		}
	}
	t.Logf("%d of %d rows may go without a control: %v", len(rows), len(All()), rows)
	if len(rows) > MostUnshown {
		t.Errorf("that is more than %d", MostUnshown)
	}
}

// idle are the ends of programs that never came to what they attempt.
func idle() map[string]cellwall.Result {
	failed := cellwall.ExecutionError{Type: "NameError", Message: "name 'x' is not defined", Line: 1}
	return map[string]cellwall.Result{
		"did nothing":           {OK: true, Status: cellwall.StatusOK, Observation: cellwall.Observation{OK: true}},
		"died in line 1":        {Status: cellwall.StatusError, Cause: cellwall.CauseException, Error: &failed},
		"exited in line 1":      {Status: cellwall.StatusCrashed, Cause: "exit:1"},
		"hung before it began":  {Status: cellwall.StatusTimeout, Cause: cellwall.CauseDeadline},
		"was never interpreted": {Status: cellwall.StatusCrashed, Cause: "signal:SIGSEGV"},
	}
}

// passes names the ways of idle in which a program would be taken for an attack
// that was held, had all runs of the case ended so.
func passes(c Case) []string {
	var ways []string
	for how, result := range idle() {
		caught := false
		for run := range max(1, c.Runs) {
			caught = caught || len(Judge(c.Attack, Outcome{Result: &result, World: World{Run: run}})) > 0
		}
		if !caught {
			ways = append(ways, how)
		}
	}
	slices.Sort(ways)
	return ways
}

func TestEveryProgramIsUsed(t *testing.T) {
	used := map[string]bool{"prelude.py": true}
	for _, c := range All() {
		used[c.Attack.File], used[c.Sibling.File], used[c.Control.Harness] = true, true, true
	}
	err := fs.WalkDir(programs, "programs", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !used[d.Name()] {
			t.Errorf("no case uses %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSourceHoldsTheWorldButNotItsToken(t *testing.T) {
	w := World{CanaryFile: "/tmp/x/secret", Token: "unguessable", TCP: 4711}
	text, err := Source("F1.py", w)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(text, `WORLD = {"canary_file":"/tmp/x/secret",`) || !strings.Contains(text, `"tcp":4711`) {
		t.Errorf("source begins %q", text[:200])
	}
	if strings.Contains(text, w.Token) {
		t.Error("the token is in the source")
	}
}
