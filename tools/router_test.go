package tools_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/tools"
)

const (
	inspect = tools.InspectData
	query   = tools.QueryData
	chart   = tools.MakeChart
	python  = tools.RunPython
)

// ran is a state after calls that ended well, or with "!" before their name, not.
func ran(s tools.State, calls ...string) tools.State {
	for _, call := range calls {
		tool, failed := strings.CutPrefix(call, "!")
		s = s.Ran(tool, !failed)
	}
	return s
}

func offered(s tools.State) (list []string) {
	for _, o := range s.Offers(tools.English) {
		if o.Offered {
			list = append(list, o.Tool)
		}
	}
	return list
}

func TestM4_WhatIsOfferedFollowsFromWhatHappened(t *testing.T) {
	inspected := ran(tools.State{}, inspect)
	steps := inspected.Asked(tools.TaskSteps)
	noSQL := tools.State{NoSQL: true}
	stop := &cellwall.Stop{Reason: cellwall.StopExecutions}
	plain, all := []string{inspect, query, chart}, tools.Names()
	for name, tt := range map[string]struct {
		state tools.State
		stage tools.Stage
		want  []string
	}{
		"nothing was inspected":                    {tools.State{}, tools.StageNew, []string{inspect}},
		"inspecting failed":                        {ran(tools.State{}, "!"+inspect), tools.StageNew, []string{inspect}},
		"several steps, nothing inspected":         {tools.State{Task: tools.TaskSteps}, tools.StageNew, []string{inspect}},
		"inspected":                                {inspected, tools.StageSimple, plain},
		"inspected twice, the second time badly":   {ran(inspected, "!"+inspect), tools.StageSimple, plain},
		"simple":                                   {inspected.Asked(tools.TaskSimple), tools.StageSimple, plain},
		"simple, and answered":                     {ran(inspected.Asked(tools.TaskSimple), query, chart), tools.StageSimple, plain},
		"simple, and SQL cannot":                   {ran(inspected.Asked(tools.TaskSimple), "!"+query, "!"+query), tools.StageSteps, all},
		"simple, too much for SQL":                 {ran(inspected.Asked(tools.TaskSimple), "!"+query).Overran(), tools.StageSteps, all},
		"a write, too much for a chart":            {ran(inspected.Asked(tools.TaskWrite), "!"+chart).Overran(), tools.StageClosed, plain},
		"too much, and a new question":             {inspected.Overran().Asked(tools.TaskSimple), tools.StageSimple, plain},
		"simple, SQL mended":                       {ran(inspected.Asked(tools.TaskSimple), "!"+query, query), tools.StageSimple, plain},
		"nobody told, SQL tried":                   {ran(inspected, query), tools.StageSteps, all},
		"nobody told, no SQL":                      {ran(noSQL, inspect), tools.StageSteps, []string{inspect, chart, python}},
		"nobody told, no SQL, nothing inspected":   {noSQL, tools.StageNew, []string{inspect}},
		"simple, no SQL":                           {ran(noSQL, inspect).Asked(tools.TaskSimple), tools.StageSimple, []string{inspect, chart}},
		"nobody told, no SQL, two programs failed": {ran(noSQL, inspect, "!"+python, "!"+python), tools.StageStuck, []string{inspect, chart}},
		"a new question of nobody told":            {ran(inspected, query).Asked(tools.TaskUnknown), tools.StageSimple, plain},
		"several steps":                            {steps, tools.StageSteps, all},
		"one program failed":                       {ran(steps, "!"+python), tools.StageSteps, all},
		"a program failed between good ones":       {ran(steps, "!"+python, python, "!"+python), tools.StageSteps, all},
		"two programs failed":                      {ran(steps, "!"+python, "!"+python), tools.StageStuck, plain},
		"two failed, SQL between":                  {ran(steps, "!"+python, query, "!"+python), tools.StageStuck, plain},
		"two failed, then the user answered":       {ran(steps, "!"+python, "!"+python).Asked(tools.TaskUnknown), tools.StageSteps, all},
		"a person is asked":                        {ran(steps, "!"+python, "!"+python).Escalated(), tools.StageWaiting, nil},
		"a person said yes":                        {ran(steps, "!"+python, "!"+python).Escalated().Decided(true), tools.StageSteps, all},
		"a person said yes, two more failed":       {ran(ran(steps, "!"+python, "!"+python).Escalated().Decided(true), "!"+python, "!"+python), tools.StageStuck, plain},
		"a person said no":                         {steps.Escalated().Decided(false), tools.StageStuck, plain},
		"a yes that nobody asked for":              {ran(steps, "!"+python, "!"+python).Decided(true), tools.StageStuck, plain},
		"data from elsewhere":                      {inspected.Asked(tools.TaskExternal), tools.StageClosed, plain},
		"a write":                                  {inspected.Asked(tools.TaskWrite), tools.StageClosed, plain},
		"a write, after a person said yes to all":  {inspected.Asked(tools.TaskWrite).Escalated().Decided(true), tools.StageClosed, plain},
		"a budget is used up":                      {steps.Stopped(stop), tools.StageStopped, nil},
		"a budget is used up, and asked again":     {steps.Stopped(stop).Asked(tools.TaskSimple), tools.StageStopped, nil},
		"a budget was raised":                      {steps.Stopped(stop).Stopped(nil), tools.StageSteps, all},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.state.Stage(); got != tt.stage {
				t.Errorf("stage %s, want %s", got, tt.stage)
			}
			if got := offered(tt.state); !slices.Equal(got, tt.want) {
				t.Errorf("offers %v, want %v", got, tt.want)
			}
		})
	}
}

func TestM4_ARefusedCallSaysWhichToolWouldDoIt(t *testing.T) {
	inspected := ran(tools.State{}, inspect)
	simple := inspected.Asked(tools.TaskSimple)
	for name, tt := range map[string]struct {
		state         tools.State
		tool, code    string
		instead, says string // instead "-" = nothing is refused
	}{
		"allowed":                   {inspected, query, "", "-", ""},
		"program before inspecting": {tools.State{}, python, "df.head()", inspect, "inspected"},
		"SQL before inspecting":     {tools.State{}, query, "", inspect, "inspected"},
		"program for a sum":         {simple, python, "print(df.x.sum())", query, "one step"},
		"program for a chart":       {simple, python, "df.plot.bar(); plt.savefig('a.png')", chart, "one step"},
		"program for nobody knows":  {inspected, python, "print(df.x.sum())", query, "No question is known"},
		"program after two failed":  {ran(inspected.Asked(tools.TaskSteps), "!"+python, "!"+python), python, "x", "", "clarifying question"},
		"program for the network":   {inspected.Asked(tools.TaskExternal), python, "x", "", "upload"},
		"program that writes":       {inspected.Asked(tools.TaskWrite), python, "x", "", "business system"},
		"while a person looks":      {inspected.Escalated(), inspect, "", "", "until the person"},
		"SQL that is not set up":    {tools.State{NoSQL: true, Inspected: true, Task: tools.TaskSimple}, query, "", "", "Take one of: inspect_data, make_chart."},
		"program, without SQL":      {tools.State{NoSQL: true, Inspected: true, Task: tools.TaskSimple}, python, "print(1)", chart, "one step"},
		"the same for nobody knows": {tools.State{NoSQL: true, Inspected: true}, python, "print(1)", "-", ""},
		"made up, without SQL":      {tools.State{NoSQL: true, Inspected: true}, "shell", "", "", "inspect_data, make_chart"},
		"made up":                   {inspected, "delete_everything", "", "", "inspect_data, query_data, make_chart"},
	} {
		t.Run(name, func(t *testing.T) {
			r := tt.state.Judge(tt.tool, tt.code, tools.English)
			if (r == nil) != (tt.instead == "-") {
				t.Fatalf("refused: %+v", r)
			}
			if r != nil && (r.Instead != tt.instead || !strings.Contains(r.Reason+" "+r.Next, tt.says)) {
				t.Errorf("%+v, want instead %q and %q", r, tt.instead, tt.says)
			}
		})
	}
}

func TestM4_NoWayLeadsAroundTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := tools.State{NoSQL: rapid.Bool().Draw(t, "no SQL"), Unheard: rapid.Bool().Draw(t, "unheard")}
		failed, sum, renewed := 0, 0, false // sum: since a program or the user gave the tries
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				s, failed = s.Asked(rapid.SampledFrom([]tools.Task{"", "simple", "multi_step", "external", "write"}).Draw(t, "task")), 0
				sum, renewed = 0, false
			case 1:
				s = s.Escalated()
			case 2:
				if yes := rapid.Bool().Draw(t, "yes"); s.Human == tools.HumanWaiting && yes {
					failed, sum = 0, 0
					s = s.Decided(yes)
				} else {
					s = s.Decided(yes)
				}
			default:
				tool, ok := rapid.SampledFrom(tools.Names()).Draw(t, "tool"), rapid.Bool().Draw(t, "ok")
				if s.Judge(tool, "", tools.English) != nil {
					continue // a refused call is none
				}
				rejected := s.Human == tools.HumanRejected
				switch s = s.Ran(tool, ok); {
				case tool == python && ok:
					failed, sum, renewed = 0, 0, false
				case tool == python:
					failed, sum = failed+1, sum+1
				case (tool == query || tool == chart) && ok && s.Unheard && failed >= 2 && !renewed && !rejected:
					failed, renewed = 0, true
				}
				if sum > 4 {
					t.Fatalf("%d programs failed without a word of the user's at %+v", sum, s)
				}
			}
			may := s.Judge(python, "", tools.English) == nil
			if may && (!s.Inspected || failed >= 2 || s.Task == tools.TaskExternal || s.Task == tools.TaskWrite || s.Human == tools.HumanWaiting || s.Human == tools.HumanRejected) {
				t.Fatalf("a program may run at %+v, %d failed", s, failed)
			}
			for _, tool := range tools.Names() {
				r := s.Judge(tool, "", tools.English)
				if r != nil && r.Instead != "" && s.Judge(r.Instead, "", tools.English) != nil {
					t.Fatalf("%+v names a tool that is refused", r)
				}
			}
			for _, o := range s.Offers(tools.Chinese) {
				if o.Why == "" || o.Offered != (s.Judge(o.Tool, "", tools.Chinese) == nil) {
					t.Fatalf("offer %+v and judgement differ", o)
				}
			}
		}
	})
}

func TestM4_WithoutSQLARefusalNamesWhatIsOffered(t *testing.T) {
	for stage, state := range map[tools.Stage]tools.State{
		tools.StageSimple: {NoSQL: true, Inspected: true, Task: tools.TaskSimple},
		tools.StageSteps:  {NoSQL: true, Inspected: true, Task: tools.TaskSteps},
		tools.StageClosed: {NoSQL: true, Inspected: true, Task: tools.TaskWrite},
	} {
		for _, l := range []tools.Language{tools.English, tools.Chinese} {
			r := state.Judge(query, "", l)
			if r == nil || r.Stage != stage || strings.Contains(r.Reason, "python-query") || strings.Contains(r.Next, python) != (stage == tools.StageSteps) || !strings.Contains(r.Next, chart) {
				t.Errorf("%s, %s: %+v", stage, l, r)
			}
		}
	}
}
