package tools_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/tools"
)

const fetch = tools.FetchData

func TestM7_FetchIsOfferedWhereHostsAreAllowedAndTheUserAsks(t *testing.T) {
	open := tools.State{Hosts: "data.example.org"}
	inspected := ran(open, inspect)
	external := inspected.Asked(tools.TaskExternal)
	stop := &cellwall.Stop{Reason: cellwall.StopExecutions}
	plain := []string{inspect, query, chart}
	for name, tt := range map[string]struct {
		state tools.State
		stage tools.Stage
		want  []string
	}{
		"no hosts":                             {ran(tools.State{}, inspect).Asked(tools.TaskExternal), tools.StageClosed, plain},
		"no hosts, nobody told":                {ran(tools.State{}, inspect), tools.StageSimple, plain},
		"nothing inspected":                    {open, tools.StageNew, []string{inspect}},
		"nothing inspected, asked for":         {open.Asked(tools.TaskExternal), tools.StageNew, []string{inspect, fetch}},
		"asked for":                            {external, tools.StageClosed, append(slices.Clone(plain), fetch)},
		"asked for, and failed":                {ran(external, "!"+fetch), tools.StageClosed, append(slices.Clone(plain), fetch)},
		"asked for, and here":                  {ran(external, fetch), tools.StageSteps, append(tools.Names(), fetch)},
		"here, and two programs failed":        {ran(external, fetch, "!"+python, "!"+python), tools.StageStuck, append(slices.Clone(plain), fetch)},
		"asked for again":                      {ran(external, fetch).Asked(tools.TaskExternal), tools.StageClosed, append(slices.Clone(plain), fetch)},
		"then a question that nobody can tell": {ran(external, fetch).Asked(tools.TaskUnknown), tools.StageSteps, append(tools.Names(), fetch)},
		"then another question":                {ran(external, fetch).Asked(tools.TaskSimple), tools.StageSimple, plain},
		"nobody told":                          {inspected, tools.StageSimple, append(slices.Clone(plain), fetch)},
		"simple":                               {inspected.Asked(tools.TaskSimple), tools.StageSimple, plain},
		"several steps":                        {inspected.Asked(tools.TaskSteps), tools.StageSteps, tools.Names()},
		"a write":                              {inspected.Asked(tools.TaskWrite), tools.StageClosed, plain},
		"a person is asked":                    {external.Escalated(), tools.StageWaiting, nil},
		"a budget is used up":                  {external.Stopped(stop), tools.StageStopped, nil},
	} {
		if got := offered(tt.state); tt.state.Stage() != tt.stage || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %s offers %v, want %s and %v", name, tt.state.Stage(), got, tt.stage, tt.want)
		}
		for _, tool := range append(tools.Names(), fetch) {
			refusal := tt.state.Judge(tool, "", tools.Chinese)
			if (refusal == nil) != slices.Contains(tt.want, tool) || refusal != nil && (refusal.Reason == "" || refusal.Next == "") {
				t.Errorf("%s: %s is judged %+v", name, tool, refusal)
			}
			if refusal != nil && refusal.Instead != "" && !slices.Contains(tt.want, refusal.Instead) {
				t.Errorf("%s: %s is sent to %s, which is not offered", name, tool, refusal.Instead)
			}
		}
	}
	if r := external.Judge(python, "import requests", tools.English); r == nil || r.Instead != fetch {
		t.Errorf("a program that wants the network is sent to %+v", r)
	}
	if r := ran(tools.State{}, inspect).Judge(fetch, "", tools.English); r == nil || !strings.Contains(r.Reason, "There is no tool fetch_data") {
		t.Errorf("without hosts there is one: %+v", r)
	}
}

func TestM7_AModelIsToldTheHostsOnlyWhereThereAreSome(t *testing.T) {
	for _, l := range []tools.Language{tools.English, tools.Chinese} {
		if got := tools.Of(l, tools.State{}.Offers(l)); len(got) != 4 || !slices.EqualFunc(got, tools.All(l), func(a, b tools.Tool) bool { return a.Name == b.Name && a.Description == b.Description }) {
			t.Errorf("%s: %+v", l, got)
		}
		got := tools.Of(l, tools.State{Hosts: "data.example.org, " + strings.Repeat("x", 1000)}.Offers(l))
		if len(got) != 5 || got[4].Name != fetch || !strings.Contains(got[4].Description, "data.example.org") || len(got[4].Description) > 700 || !strings.Contains(string(got[4].Schema), `"url"`) {
			t.Errorf("%s: %+v", l, got)
		}
	}
	schemas, err := tools.Compile()
	if err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]bool{
		`{"url":"https://data.example.org/x.csv"}`: true, `{"url":"ftp://x.org/"}`: false, `{"url":"x"}`: false, `{}`: false, `{"url":"https://a.b/","headers":{}}`: false,
		`{"url":"https://a.b/` + strings.Repeat("x", 2048) + `"}`: false, `{"url":["https://a.b/"]}`: false,
	} {
		call, faults := schemas.Decode(fetch, []byte(arguments), tools.English)
		if (faults == nil) != want || want && call.Fetch.URL == "" {
			t.Errorf("%.60s: %+v %v", arguments, call, faults)
		}
	}
}
