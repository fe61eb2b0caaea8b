package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestM31_ATenantsRulesGoBesideTheShippedOnes(t *testing.T) {
	shipped := Rules{{Name: "a", Look: LookNames, For: []string{"x"}}, {Name: "b", Look: LookNames, For: []string{"y"}}, {Name: "c", Look: LookNames, For: []string{"z"}}}
	got := shipped.With(Rules{{Name: "b", Look: LookTexts, For: []string{"own"}}, {Name: "a"}, {Name: "d", Look: LookNames, For: []string{"new"}}})
	var names []string
	for _, r := range got {
		names = append(names, r.Name+" "+strings.Join(r.For, ","))
	}
	if want := []string{"b own", "c z", "d new"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if shipped[1].For[0] != "y" || len(shipped) != 3 {
		t.Error("the shipped ones were changed")
	}
}

func TestM31_RulesOfATenantAreReadStrictly(t *testing.T) {
	for text, wrong := range map[string]string{
		"": "",
		`{"default":[{"name":"vault","look":"imports","for":["vault"],"refuse":true,"message":"{module} is not for you"}]}`: "",
		`{"strict":[{"name":"pickle"}]}`: "",
		`{"off":[]}`:                     "no profile",
		`{"default":[{"name":"a","look":"moon","for":["x"],"message":"m"}]}`:     "no place to look",
		`{"default":[{"name":"a","look":"patterns","for":["("],"message":"m"}]}`: "missing closing",
		`{"default":[{"name":"a","look":"names","for":["x"]}]}`:                  "no message",
		`{"default":[{"nom":"a"}]}`:                                              "unknown field",
		`{"default":[]} {}`:                                                      "behind",
		`[]`:                                                                     "cannot unmarshal",
		`{"default":[{"name":"` + strings.Repeat("a", maxRulesText) + `"}]}`:     "bytes",
	} {
		_, err := ReadOwn(text)
		if wrong == "" && err != nil || wrong != "" && (cellwall.CodeOf(err) != cellwall.CodeBadRequest || !strings.Contains(err.Error(), wrong)) {
			t.Errorf("%.80s: %v, want %q", text, err, wrong)
		}
	}
}
