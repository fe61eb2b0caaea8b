package abuse

import (
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

func good() Outcome {
	return Outcome{
		World: World{Token: "canary_token"},
		Result: &cellwall.Result{
			OK: true, Status: cellwall.StatusOK, Observation: cellwall.Observation{OK: true},
			Stdout:           cellwall.Output{Text: "HELD root: EROFS\nHELD name: [Errno -2] Name or service not known\nDONE\n"},
			Artifacts:        []cellwall.Artifact{{Name: "kept.txt"}},
			SkippedArtifacts: []cellwall.SkippedArtifact{{Name: "link", Reason: "symlink"}},
			Usage:            cellwall.Usage{WallMS: 100},
		},
	}
}

func met() Expect {
	return Expect{
		Held: []string{"root", "name"}, Prints: []string{"DONE"}, Kept: []string{"kept.txt"}, Skipped: []string{"link"},
		Within: time.Second, Lacks: []string{"passwd"},
	}
}

func TestJudgePassesWhatMetItsEnd(t *testing.T) {
	if bad := Judge(Program{Expect: met()}, good()); len(bad) > 0 {
		t.Errorf("problems: %q", bad)
	}
}

func TestJudgeFails(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*Outcome, *Expect)
		want   string
	}{
		"EscapeOnStdout":     {func(o *Outcome, _ *Expect) { o.Result.Stdout.Text += "ESCAPED usr /usr/x\n" }, "ESCAPED usr"},
		"EscapeOnStderr":     {func(o *Outcome, _ *Expect) { o.Result.Stderr.Text = "ESCAPED usr\n" }, "stderr: ESCAPED"},
		"EscapeInAnArtifact": {func(o *Outcome, _ *Expect) { o.Files = map[string][]byte{"a": []byte("ESCAPED daemon\n")} }, `artifact "a"`},
		"TokenInAnArtifact":  {func(o *Outcome, _ *Expect) { o.Files = map[string][]byte{"a": []byte("x canary_token")} }, "token"},
		"TokenInTheError": {func(o *Outcome, _ *Expect) {
			o.Result.Observation.ErrorMessage = "canary_token"
		}, "result holds the host's token"},
		"CanaryChanged":    {func(o *Outcome, _ *Expect) { o.Facts.CanaryChanged = true }, "canary"},
		"HostReached":      {func(o *Outcome, _ *Expect) { o.Facts.Contacts = []string{"udp"} }, "udp"},
		"WrongStatus":      {func(_ *Outcome, e *Expect) { e.Statuses = []cellwall.Status{cellwall.StatusTimeout} }, "status is ok"},
		"WrongCause":       {func(_ *Outcome, e *Expect) { e.Causes = []cellwall.Cause{cellwall.CauseOOM} }, "cause is"},
		"NeverAttempted":   {func(o *Outcome, _ *Expect) { o.Result.Stdout.Text = "HELD name: x\nDONE\n" }, `"root" was not reported`},
		"PrintMissing":     {func(o *Outcome, _ *Expect) { o.Result.Stdout.Text = "HELD root: x\nHELD name: x\n" }, `lacks "DONE"`},
		"HoldsForbidden":   {func(o *Outcome, _ *Expect) { o.Result.Stdout.Text += "passwd" }, `holds "passwd"`},
		"LinkTaken":        {func(o *Outcome, _ *Expect) { o.Result.Artifacts[0].Name = "link" }, `"link" was taken`},
		"NotSkipped":       {func(o *Outcome, _ *Expect) { o.Result.SkippedArtifacts = nil }, `"link" is not among`},
		"TooLong":          {func(o *Outcome, _ *Expect) { o.Result.Usage.WallMS = 5000 }, "took 5000 ms"},
		"TooLongEvenSo":    {func(o *Outcome, _ *Expect) { o.Result.Usage.WallMS, o.World.Slow = 5000, 4 }, "at most 4s"},
		"OKWithoutStatus":  {func(o *Outcome, _ *Expect) { o.Result.OK = false }, "ok is false"},
		"OKWithCause":      {func(o *Outcome, _ *Expect) { o.Result.Cause = cellwall.CauseOutput }, "with cause"},
		"ObservationLies":  {func(o *Outcome, _ *Expect) { o.Result.Observation.OK = false }, "differ"},
		"OwnJudge":         {func(_ *Outcome, e *Expect) { e.Judge = func(Outcome) []Problem { return []Problem{"mine"} } }, "mine"},
		"NothingAtAll":     {func(o *Outcome, _ *Expect) { o.Result = nil }, "no result"},
		"CauselessFailure": {func(o *Outcome, _ *Expect) { o.Result.Status, o.Result.OK = cellwall.StatusError, false }, "no cause"},
	} {
		t.Run(name, func(t *testing.T) {
			o, e := good(), met()
			tc.change(&o, &e)
			bad := Judge(Program{Expect: e}, o)
			for _, p := range bad {
				if strings.Contains(string(p), tc.want) {
					return
				}
			}
			t.Errorf("problems %q, want one with %q", bad, tc.want)
		})
	}
}

func TestCauseMatchesItsDetail(t *testing.T) {
	o, e := good(), met()
	o.Result.Status, o.Result.OK, o.Result.Observation.OK, o.Result.Cause = cellwall.StatusCrashed, false, false, "signal:SIGSEGV"
	e.Statuses, e.Causes = []cellwall.Status{cellwall.StatusCrashed}, []cellwall.Cause{cellwall.CauseSignal}
	if bad := Judge(Program{Expect: e}, o); len(bad) > 0 {
		t.Errorf("problems: %q", bad)
	}
}

func TestJudgeControl(t *testing.T) {
	c := Case{Attack: Program{Expect: Expect{Held: []string{"a", "b"}}}}
	for name, tc := range map[string]struct {
		stdout  string
		control Control
		bad     string
		note    string
	}{
		"Shown":                  {stdout: "ESCAPED a x\nESCAPED b y\n"},
		"NotAttempted":           {stdout: "ESCAPED a x\n", bad: "b was not even attempted"},
		"Refused":                {stdout: "ESCAPED a x\nHELD b: EPERM\n", bad: "b did not work"},
		"AbsentFromTheKernel":    {stdout: "ESCAPED a x\nHELD b: EAFNOSUPPORT\n", note: "proof: without any wall it answers EAFNOSUPPORT"},
		"CannotBeShown":          {stdout: "ESCAPED a x\n", control: Control{Absent: map[string]string{"b": "why"}}, note: "b not possible here: why"},
		"OtherAttemptsAreNamed":  {stdout: "ESCAPED c x\n", control: Control{Shows: []string{"c"}}},
		"OwnJudge":               {stdout: "ESCAPED a\nESCAPED b\n", control: Control{Judge: func(Exhibit) []Problem { return []Problem{"mine"} }}, bad: "mine"},
		"EscapedDetailHasColons": {stdout: "ESCAPED a http://x\nESCAPED b: y\n"},
	} {
		t.Run(name, func(t *testing.T) {
			c.Control = tc.control
			bad, notes := JudgeControl(c, Exhibit{Stdout: tc.stdout})
			if tc.bad == "" && len(bad) > 0 || tc.bad != "" && (len(bad) == 0 || !strings.Contains(string(bad[0]), tc.bad)) {
				t.Errorf("problems %q, want %q", bad, tc.bad)
			}
			if tc.note != "" && (len(notes) != 1 || !strings.Contains(notes[0], tc.note)) {
				t.Errorf("notes %q, want %q", notes, tc.note)
			}
		})
	}
	if bad, _ := JudgeControl(Case{}, Exhibit{Stdout: "quiet\n"}); len(bad) == 0 {
		t.Error("a control that showed nothing passed")
	}
}

func TestARowOfWhichNothingWasShownIsCounted(t *testing.T) {
	judged := Case{Control: Control{Judge: func(Exhibit) []Problem { return nil }}}
	for name, tc := range map[string]struct {
		c      Case
		stdout string
		want   bool
	}{
		"OneAttempt":   {stdout: "HELD a: ENODEV\nESCAPED b x\n", want: true},
		"OnlyRefusals": {stdout: "HELD a: ENODEV\n"},
		"AJudgesWord":  {c: judged, stdout: "quiet\n", want: true},
	} {
		if got := Showed(tc.c, Exhibit{Stdout: tc.stdout}); got != tc.want {
			t.Errorf("%s: showed is %v, want %v", name, got, tc.want)
		}
	}
}
