package native_test

import (
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

func TestM40_QuestionsAreAnsweredFromTheState(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{})
	n.says("import pandas as pd\nsales = pd.DataFrame({'a': [1, 2, 3], 'b': [4, 5, 6]})\nnumber = 7", "")
	ask := func(q cellwall.Question) cellwall.Answer {
		t.Helper()
		answer, err := n.Ask(t.Context(), q)
		if err != nil {
			t.Fatalf("%v\nhint: %s", err, cellwall.HintOf(err))
		}
		return answer
	}
	variables := ask(cellwall.Question{Kind: cellwall.AskVariables}).Variables
	at := slices.IndexFunc(variables, func(v cellwall.Variable) bool { return v.Name == "sales" })
	if at < 0 || variables[at].Type != "DataFrame" || variables[at].Shape != "3 × 2" || variables[at].Bytes == 0 {
		t.Errorf("variables %+v, want sales among them, a DataFrame of 3 × 2", variables)
	}
	completed := ask(cellwall.Question{Kind: cellwall.AskComplete, Text: "print(sal", Cursor: 9})
	if !slices.Contains(completed.Matches, "sales") || completed.Start != 6 || completed.End != 9 {
		t.Errorf("completed as %+v, want sales in place of sal", completed)
	}
	for text, whole := range map[string]bool{"x = 1": true, "for x in y:": false, "print((1,": false} {
		if got := ask(cellwall.Question{Kind: cellwall.AskFinished, Text: text}); got.Finished != whole {
			t.Errorf("is %q a whole cell? %v, want %v", text, got.Finished, whole)
		}
	}
	if _, err := n.Ask(t.Context(), cellwall.Question{Kind: "weather"}); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
		t.Errorf("another question: %v, want bad_request", err)
	}
	n.says("print(number)", "7")
}

// A question that an interpreter cannot answer is an error, and the state is
// found again by the next cells.
func TestM40_AQuestionToADeadInterpreterIsAnError(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{})
	n.says("import os, threading\nnumber = 7\ngo = threading.Event()\n"+
		"threading.Thread(target=lambda: (go.wait(), os._exit(3))).start()", "")
	n.says("threading.Timer(0.05, go.set).start()", "")
	for {
		if _, err := n.Ask(t.Context(), cellwall.Question{Kind: cellwall.AskVariables}); err != nil {
			if cellwall.HintOf(err) == "" {
				t.Errorf("%v has no hint", err)
			}
			break
		}
	}
	if got := n.cell("pass"); got.Status != cellwall.StatusCrashed || got.Restored == nil {
		t.Errorf("the next cell ended %s, restored %+v; want crashed, and back", got.Status, got.Restored)
	}
	n.says("print(number)", "7")
}
