package apitest

import (
	"encoding/json"
	"testing"
	"time"
)

type alertView struct {
	ID   string
	Rule struct {
		Name, Measure string
		Above         float64
		Window        int `json:"window_s"`
	}
	Raised bool
	Since  *time.Time
}

const failures = `{"name":"失败","measure":"verdicts","statuses":["error"],"above":1,"window_s":60}`

// alertsOf are the rules of a tenant.
func alertsOf(t *testing.T, s *Service, key string) []alertView {
	t.Helper()
	l := Into[List[alertView]](t, s.Call(t, "GET", "/v1/alerts", key, ""), 200)
	if l.Items == nil {
		t.Error("no list, instead of an empty one")
	}
	return l.Items
}

func anAlertIsRaisedAndTold(t *testing.T, s *Service) {
	made := Into[alertView](t, s.Call(t, "POST", "/v1/alerts", s.Key, failures, "Idempotency-Key", "a"), 201)
	if made.Raised || made.Rule.Name != "失败" || made.Rule.Measure != "verdicts" || made.Rule.Above != 1 || made.Rule.Window != 60 {
		t.Errorf("%+v", made)
	}
	if again := Into[alertView](t, s.Call(t, "POST", "/v1/alerts", s.Key, failures, "Idempotency-Key", "a"), 201); again.ID != made.ID {
		t.Errorf("again under its key it is %+v", again)
	}
	fail := func(key string) { t.Helper(); s.Call(t, "POST", "/v1/executions", key, `{"code":"1/0"}`) }
	fail(s.Key)
	fail(s.Other) // not the tenant's
	s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1"}`)
	if l := alertsOf(t, s, s.Key); len(l) != 1 || l[0].Raised {
		t.Errorf("after one failure %+v", l)
	}
	fail(s.Key)
	await(t, "the alert is not raised", func() bool { l := alertsOf(t, s, s.Key); return len(l) == 1 && l[0].Raised && l[0].Since != nil })
	told := 0
	await(t, "nobody is told", func() bool {
		for _, e := range Into[happened](t, s.Call(t, "GET", "/v1/events", s.Key, ""), 200).Items {
			if e.Kind == "alert.raised" {
				told++
				var data map[string]any
				if err := json.Unmarshal(e.Data, &data); err != nil || data["alert_id"] != made.ID {
					t.Errorf("%v %s", err, e.Data)
				}
			}
		}
		return told > 0
	})
	if told != 1 {
		t.Errorf("it is told %d times", told)
	}
	if a := s.Call(t, "DELETE", "/v1/alerts/"+made.ID, s.Key, ""); a.Status != 204 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if l := alertsOf(t, s, s.Key); len(l) != 0 {
		t.Errorf("afterwards there are %+v", l)
	}
}

func alertsAreTheirTenants(t *testing.T, s *Service) {
	made := Into[alertView](t, s.Call(t, "POST", "/v1/alerts", s.Key, failures), 201)
	all := []asking{{"POST", "/v1/alerts", failures}, {"GET", "/v1/alerts", ""}, {"DELETE", "/v1/alerts/{id}", ""}}
	onlyForItsTenant(t, s, made.ID, all...)
	for _, c := range all {
		onlyWithScope(t, s, c.of(made.ID), s.Agent)
	}
	if l := alertsOf(t, s, s.Other); len(l) != 0 {
		t.Errorf("another tenant lists %+v", l)
	}
	if l := alertsOf(t, s, s.Key); len(l) != 1 || l[0].ID != made.ID {
		t.Errorf("afterwards there are %+v", l)
	}
	const queue = `{"name":"q","measure":"queue_waiting","above":1,"window_s":60}`
	DemandProblem(t, "what is the operator's to count", s.Call(t, "POST", "/v1/alerts", s.Key, queue), 403, "forbidden")
	refused(t, s, s.Key, []mistake{
		{"another measure", "POST", "/v1/alerts", `{"name":"n","measure":"load","above":1,"window_s":60}`, 422, "measure"},
		{"less than nothing", "POST", "/v1/alerts", `{"name":"n","measure":"verdicts","above":-1,"window_s":60}`, 422, "above"},
	})
}
