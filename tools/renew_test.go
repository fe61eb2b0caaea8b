package tools_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall/tools"
)

// Where nobody tells when the user speaks, what SQL or a chart answers may end the task
// of the programs that failed; it gives new tries once, and no more.
func TestM4_AnAnswerGivesTheTriesAgainOnceWhereNobodyHearsTheUser(t *testing.T) {
	failed := []string{inspect, "!" + python, "!" + python}
	heard, unheard := tools.State{Task: tools.TaskSteps}, tools.State{Task: tools.TaskSteps, Unheard: true}
	for name, tt := range map[string]struct {
		state tools.State
		calls []string
		want  bool
	}{
		"two failed":                     {unheard, failed, false},
		"a chart then":                   {unheard, append(failed, chart), true},
		"SQL then":                       {unheard, append(failed, query), true},
		"a chart that failed":            {unheard, append(failed, "!"+chart), false},
		"another look at the data":       {unheard, append(failed, inspect), false},
		"one more failed":                {unheard, append(failed, chart, "!"+python), true},
		"two more failed":                {unheard, append(failed, chart, "!"+python, "!"+python), false},
		"two more failed, another chart": {unheard, append(failed, chart, "!"+python, "!"+python, chart, query), false},
		"a program did, and two failed":  {unheard, append(failed, chart, python, "!"+python, "!"+python, chart), true},
		"the user is heard":              {heard, append(failed, chart, query), false},
	} {
		if got := slices.Contains(offered(ran(tt.state, tt.calls...)), python); got != tt.want {
			t.Errorf("%s: a program may run: %v", name, got)
		}
	}
	rejected := ran(unheard, failed...).Escalated().Decided(false)
	if slices.Contains(offered(ran(rejected, chart)), python) {
		t.Error("a chart overrules a person")
	}
}

// What is advised can be done: without a person to ask, by a prompt that the client has.
func TestM4_WhereNobodyHearsTheUserARefusalNamesThePrompt(t *testing.T) {
	stuck := ran(tools.State{Task: tools.TaskSteps, Unheard: true, NoSQL: true}, inspect, "!"+python, "!"+python)
	spent := ran(stuck, chart, "!"+python, "!"+python)
	for _, l := range []tools.Language{tools.English, tools.Chinese} {
		for _, s := range []tools.State{stuck, spent, stuck.Escalated().Decided(false)} {
			r := s.Judge(python, "1", l)
			if r == nil || r.Stage != tools.StageStuck || !strings.Contains(r.Next, tools.PromptName) || !strings.Contains(r.Next, chart) ||
				strings.Contains(r.Next, query) || strings.Contains(r.Next, "human") || strings.ContainsAny(r.Next, "{}") {
				t.Errorf("%s: %+v", l, r)
			}
		}
		if stuck.Judge(python, "1", l).Next == spent.Judge(python, "1", l).Next {
			t.Errorf("%s: another answer is said to help where it does not", l)
		}
	}
}
