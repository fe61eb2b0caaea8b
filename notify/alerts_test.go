package notify

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

func rule(id, tenant, text string) cellwall.AlertRule {
	return cellwall.AlertRule{ID: id, Tenant: tenant, Rule: json.RawMessage(text)}
}

// told lists what tenants heard, in order.
func told(b *book) (list []string) {
	_, events := b.seen()
	for _, e := range events {
		var data struct {
			ID    string `json:"alert_id"`
			Value float64
		}
		if json.Unmarshal(e.Data, &data) == nil {
			list = append(list, fmt.Sprintf("%s %s %s %v", e.Tenant, e.Kind, data.ID, data.Value))
		}
	}
	return list
}

func TestM52_AnAlertIsRaisedOnceAndCleared(t *testing.T) {
	for _, test := range []struct {
		name, tenant, rule string
		verdict            Verdict
		times              int
		want               string // raised with this value; "" = not
	}{
		{
			"crashes", "a", `{"name":"n","measure":"verdicts","statuses":["crashed"],"above":2,"window_s":60}`,
			Verdict{Tenant: "a", Status: cellwall.StatusCrashed},
			5, "3",
		},
		{
			"fewer", "a", `{"name":"n","measure":"verdicts","statuses":["crashed"],"above":5,"window_s":60}`,
			Verdict{Tenant: "a", Status: cellwall.StatusCrashed},
			5, "",
		},
		{
			"other verdicts", "a", `{"name":"n","measure":"verdicts","statuses":["timeout"],"above":2,"window_s":60}`,
			Verdict{Tenant: "a", Status: cellwall.StatusCrashed},
			5, "",
		},
		{
			"another tenant's", "a", `{"name":"n","measure":"verdicts","above":2,"window_s":60}`,
			Verdict{Tenant: "b", Status: cellwall.StatusCrashed},
			5, "",
		},
		{
			"the operator hears of everybody's", "local", `{"name":"n","measure":"verdicts","above":2,"window_s":60}`,
			Verdict{Tenant: "b", Status: cellwall.StatusError},
			5, "3",
		},
		{
			"ok is no failure", "a", `{"name":"n","measure":"verdicts","above":0,"window_s":60}`,
			Verdict{Tenant: "a", Status: cellwall.StatusOK},
			5, "",
		},
		{
			"a share from 4 on", "a", `{"name":"n","measure":"verdict_share","above":0.5,"window_s":60,"least":4}`,
			Verdict{Tenant: "a", Status: cellwall.StatusError},
			5, "1",
		},
		{
			"refusals", "a", `{"name":"n","measure":"refusals","above":1,"window_s":60}`,
			Verdict{Tenant: "a", Status: cellwall.StatusRefused, Refused: true},
			5, "2",
		},
		{
			"refused calls", "a", `{"name":"n","measure":"refused_calls","calls":["ptrace"],"above":9,"window_s":60}`,
			Verdict{Tenant: "a", Status: cellwall.StatusOK, Calls: map[string]int64{"ptrace": 4, "bpf": 100}},
			5, "12",
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			kept := &book{rules: []cellwall.AlertRule{rule("alrt_a", test.tenant, test.rule)}}
			b, err := Open(t.Context(), Options{Book: kept})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			for range test.times {
				test.verdict.At = time.Now()
				b.Count(test.verdict)
				time.Sleep(time.Second)
			}
			var want []string
			if test.want != "" {
				want = append(want, test.tenant+" alert.raised alrt_a "+test.want)
			}
			if got := told(kept); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %q, want %q", test.name, got, want)
			}
			time.Sleep(2 * time.Minute)
			if test.want != "" {
				want = append(want, test.tenant+" alert.cleared alrt_a ")
			}
			got := told(kept)
			if len(got) != len(want) || len(got) == 2 && got[1][:len(want[1])] != want[1] {
				t.Errorf("%s, later: %q, want %q", test.name, got, want)
			}
		})
	}
}

func TestM52_AnAlertOfTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := &book{rules: []cellwall.AlertRule{
			rule("alrt_w", "local", `{"name":"n","measure":"queue_wait_ms","above":1000,"window_s":10}`),
			rule("alrt_n", "local", `{"name":"n","measure":"queue_waiting","above":100,"window_s":10}`),
			rule("alrt_x", "a", `{"name":"n","measure":"queue_waiting","above":0,"window_s":10}`), // not its business
		}}
		began := time.Now()
		b, err := Open(t.Context(), Options{Book: kept, Queue: func() (int, time.Duration) {
			if d := time.Since(began); d > 5*time.Second && d < 8*time.Second {
				return 7, 3 * time.Second
			}
			return 7, 0
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		time.Sleep(time.Minute)
		if got := fmt.Sprint(told(kept)); got != "[local alert.raised alrt_w 3000 local alert.cleared alrt_w 0]" {
			t.Error(got)
		}
	})
}

func TestM52_AnAlertThatWasRaisedIsNotRaisedAgainByTheNextProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := &book{rules: []cellwall.AlertRule{rule("alrt_a", "a", `{"name":"n","measure":"refusals","above":0,"window_s":60}`)}}
		refuse := func(b *Bus) {
			b.Count(Verdict{Tenant: "a", At: time.Now(), Refused: true})
			time.Sleep(500 * time.Millisecond)
		}
		first, _ := Open(t.Context(), Options{Book: kept})
		refuse(first)
		time.Sleep(2 * time.Second) // its state is kept
		first.Close()
		second, _ := Open(t.Context(), Options{Book: kept})
		defer second.Close()
		refuse(second)
		time.Sleep(5 * time.Second)
		if got := told(kept); len(got) != 1 {
			t.Errorf("%q", got)
		}
		list, err := second.Alerts(t.Context(), "a")
		var state State
		if err != nil || len(list) != 1 || json.Unmarshal(list[0].State, &state) != nil || !state.Raised {
			t.Errorf("%s, %v", list, err)
		}
	})
}

func TestM52_ARuleIsReadStrictly(t *testing.T) {
	for text, want := range map[string]cellwall.ErrorCode{
		`{"name":"n","measure":"verdicts","above":1,"window_s":60}`:      "",
		`{"name":"n","measure":"queue_wait_ms","above":1,"window_s":60}`: cellwall.CodeForbidden,
		`{"name":"n","measure":"verdicts","above":1,"window_s":0}`:       cellwall.CodeBadRequest,
		`{"name":"n","measure":"verdicts","above":-1,"window_s":1}`:      cellwall.CodeBadRequest,
		`{"name":"n","measure":"verdict_share","above":1,"window_s":1}`:  cellwall.CodeBadRequest,
		`{"name":"","measure":"verdicts","above":1,"window_s":1}`:        cellwall.CodeBadRequest,
		`{"name":"n","measure":"load","above":1,"window_s":1}`:           cellwall.CodeBadRequest,
		`{"name":"n","measure":"verdicts","above":1,"window_s":1,"x":1}`: cellwall.CodeBadRequest,
		`{"name":"n","measure":"verdicts","above":1,"window_s":1} {}`:    cellwall.CodeBadRequest,
		`{"name":"n","measure":"verdicts","above":1e999,"window_s":1}`:   cellwall.CodeBadRequest,
		`[]`: cellwall.CodeBadRequest, ``: cellwall.CodeBadRequest, `nul`: cellwall.CodeBadRequest,
	} {
		_, err := ReadRule([]byte(text), false)
		if (err == nil) != (want == "") || err != nil && cellwall.CodeOf(err) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := ReadRule([]byte(`{"name":"n","measure":"queue_wait_ms","above":1,"window_s":60}`), true); err != nil {
		t.Errorf("the operator's: %v", err)
	}
}

func FuzzReadRule(f *testing.F) {
	f.Add([]byte(`{"name":"n","measure":"verdicts","above":1,"window_s":60}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := ReadRule(raw, true)
		if err != nil {
			return
		}
		again, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRule(again, true); err != nil {
			t.Errorf("%s is kept as %s: %v", raw, again, err)
		}
	})
}
