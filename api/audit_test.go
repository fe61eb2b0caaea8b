package api

import "testing"

func TestM7_WhyASourceFailedIsTheOperatorsToKnow(t *testing.T) {
	for entry, want := range map[string]string{
		`{"kind":"fetch","cause":"name is 10.0.0.5","url":"https://a/"}`: `{"kind":"fetch","url":"https://a/"}`,
		`{"kind":"snapshot","cause":"/etc/pg.secret"}`:                   `{"kind":"snapshot"}`,
		`{"cause":"exception","id":"exec_a"}`:                            `{"cause":"exception","id":"exec_a"}`,
		`{"kind":"tool_call","cause":"x"}`:                               `{"kind":"tool_call","cause":"x"}`,
	} {
		if got := string(untold([]byte(entry))); got != want {
			t.Errorf("%s: %s", entry, got)
		}
	}
}
