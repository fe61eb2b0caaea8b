package observe

import (
	"reflect"
	"testing"

	"github.com/cellwall/cellwall"
)

// What the controller knows reaches the words: nothing is lost on the way.
func TestTell_UsesAllOfTheEvidence(t *testing.T) {
	left := 2
	e := cellwall.Evidence{
		Request: cellwall.Request{
			Language: "zh", AttemptsLeft: &left, ExpectedArtifacts: []string{"a.png"}, Datasets: []cellwall.Input{{Name: "sales.csv"}},
		},
		Result: &cellwall.Result{
			Status: cellwall.StatusError, Cause: cellwall.CauseException,
			Error: &cellwall.ExecutionError{Type: "ModuleNotFoundError", Message: "No module named 'torch'", Name: "torch"},
		},
		Environment: cellwall.Environment{Packages: []cellwall.Package{{Name: "pandas", Version: "3"}}},
		Met:         []cellwall.Cause{cellwall.CauseProcesses},
		Notices:     []cellwall.Notice{{Code: "fence_removed"}},
		Refused:     []cellwall.Refusal{{Call: "ptrace", Count: 1}},
		Limits:      cellwall.DefaultLimits(),
		Datasets:    []cellwall.Dataset{{Name: "sales.csv", Rows: 20, RowsGiven: 10, Sample: "head"}},
	}
	warnings, told := Tell(e)
	if told.AttemptsLeft == nil || *told.AttemptsLeft != left || told.RetryHint == "" || told.ErrorType != "ModuleNotFoundError" {
		t.Errorf("told %+v", told)
	}
	for name, change := range map[string]func(*cellwall.Evidence){
		"language": func(e *cellwall.Evidence) { e.Request.Language = "en" },
		"packages": func(e *cellwall.Evidence) { e.Environment.Packages = nil },
		"datasets": func(e *cellwall.Evidence) { e.Datasets = nil },
		"stop":     func(e *cellwall.Evidence) { e.Stop = &cellwall.Stop{Reason: cellwall.StopTime} },
		"met":      func(e *cellwall.Evidence) { e.Met = nil },
		"notices":  func(e *cellwall.Evidence) { e.Notices = nil },
		"attempts": func(e *cellwall.Evidence) { e.Request.AttemptsLeft = nil },
	} {
		less := e
		change(&less)
		if w, o := Tell(less); reflect.DeepEqual(w, warnings) && reflect.DeepEqual(o, told) {
			t.Errorf("without %s the same is told: %q, %+v", name, w, o)
		}
	}
}
