package quota

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cellwall/cellwall"
)

func TestM1_Narrow_fills_what_is_open_and_refuses_what_is_more(t *testing.T) {
	terms := cellwall.Terms{
		Default: cellwall.Limits{Timeout: 30 * time.Second}, Ceiling: cellwall.Limits{Timeout: time.Minute, MemoryBytes: 256 * cellwall.MiB},
		Environments: []string{"python-plain", "python-data"}, Backends: []string{"gvisor", "vm"}, Language: "zh",
	}
	limits := func(l cellwall.Limits) cellwall.Request { return cellwall.Request{Limits: l} }
	for _, c := range []struct {
		name  string
		terms cellwall.Terms
		asked cellwall.Request
		want  func(*cellwall.Request) bool // nil = refused
		field string
	}{
		{"everything open", terms, cellwall.Request{}, func(r *cellwall.Request) bool {
			return r.Limits.Timeout == 30*time.Second && r.Limits.MemoryBytes == 256*cellwall.MiB && r.Limits.Processes == 64 &&
				r.Environment == "python-plain" && r.Backend == "gvisor" && r.Language == "zh"
		}, ""},
		{"no terms", cellwall.Terms{}, cellwall.Request{}, func(r *cellwall.Request) bool {
			return r.Limits == cellwall.DefaultLimits() && r.Environment == "" && r.Backend == "native" && r.Language == ""
		}, ""},
		{"less", terms, limits(cellwall.Limits{Timeout: time.Second}), func(r *cellwall.Request) bool { return r.Limits.Timeout == time.Second }, ""},
		{"all of it", terms, limits(cellwall.Limits{Timeout: time.Minute}), func(r *cellwall.Request) bool { return r.Limits.Timeout == time.Minute }, ""},
		{"more time", terms, limits(cellwall.Limits{Timeout: time.Minute + 1}), nil, "timeout"},
		{"more memory", terms, limits(cellwall.Limits{MemoryBytes: 256*cellwall.MiB + 1}), nil, "memory_bytes"},
		{"no number", terms, limits(cellwall.Limits{CPUs: math.NaN()}), func(r *cellwall.Request) bool { return r.Limits.Validate() != nil }, ""},
		{"another environment", terms, cellwall.Request{Environment: "python-ml"}, nil, "environment"},
		{"one of them", terms, cellwall.Request{Environment: "python-data"}, func(r *cellwall.Request) bool { return r.Environment == "python-data" }, ""},
		{"another backend", terms, cellwall.Request{Backend: "native"}, nil, "backend"},
		{"not the default backend", cellwall.Terms{}, cellwall.Request{Backend: "vm"}, nil, "backend"},
		{"the default among several", cellwall.Terms{Backends: []string{"vm", "native"}}, cellwall.Request{}, func(r *cellwall.Request) bool { return r.Backend == "native" }, ""},
		{"without a protection", cellwall.Terms{}, cellwall.Request{AllowDegraded: true}, nil, "allow_degraded"},
		{"another language", terms, cellwall.Request{Language: "en"}, func(r *cellwall.Request) bool { return r.Language == "en" }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, who := desk(t, c.terms)
			defer d.Close()
			req := c.asked
			req.Identity = who
			err := d.Narrow(&req)
			if c.want == nil {
				if cellwall.CodeOf(err) != cellwall.CodeForbidden || !strings.Contains(err.Error(), c.field) || cellwall.HintOf(err) == "" {
					t.Errorf("%v, want forbidden and %s", err, c.field)
				}
				return
			}
			if err != nil || !c.want(&req) {
				t.Errorf("%+v, %v", req, err)
			}
		})
	}
}

func TestM4_NarrowOwn_cuts_what_nobody_asked_for(t *testing.T) {
	d, who := desk(t, cellwall.Terms{Ceiling: cellwall.Limits{Timeout: 20 * time.Second, MemoryBytes: 256 * cellwall.MiB, CPUs: 1}})
	defer d.Close()
	req := cellwall.Request{Identity: who, Limits: cellwall.Limits{Timeout: time.Minute, MemoryBytes: cellwall.GiB, TmpBytes: cellwall.GiB}}
	if err := d.NarrowOwn(&req); err != nil || req.Limits.Timeout != 20*time.Second || req.Limits.MemoryBytes != 256*cellwall.MiB || req.Limits.TmpBytes != cellwall.GiB {
		t.Errorf("%+v, %v", req.Limits, err)
	}
	req = cellwall.Request{Identity: who, Limits: cellwall.Limits{CPUs: 2}}
	if err := d.NarrowOwn(&req); cellwall.CodeOf(err) != cellwall.CodeForbidden {
		t.Errorf("two processors: %v", err)
	}
}

func TestNarrow_leaves_the_operator_alone(t *testing.T) {
	d := open(t, newBook(), nil)
	defer d.Close()
	req := cellwall.Request{Identity: cellwall.Identity{Tenant: cellwall.LocalTenant}, Backend: "vm", AllowDegraded: true, Limits: cellwall.MaxLimits()}
	if err := d.Narrow(&req); err != nil || req.Backend != "vm" || req.Limits != cellwall.MaxLimits() {
		t.Errorf("%+v, %v", req, err)
	}
}

// TestM1_Nothing_above_a_ceiling_gets_through looks at every field of Limits,
// those that come later too.
func TestM1_Nothing_above_a_ceiling_gets_through(t *testing.T) {
	draw := func(t *rapid.T, name string) (l cellwall.Limits) {
		v := reflect.ValueOf(&l).Elem()
		for i := range v.NumField() {
			n := rapid.SampledFrom([]int64{0, 0, 1, 5, 1000, 1 << 40}).Draw(t, name+"."+v.Type().Field(i).Name)
			if f := v.Field(i); f.CanInt() {
				f.SetInt(n)
			} else {
				f.SetFloat(float64(n))
			}
		}
		return l
	}
	number := func(v reflect.Value) float64 {
		if v.CanInt() {
			return float64(v.Int())
		}
		return v.Float()
	}
	rapid.Check(t, func(t *rapid.T) {
		asked, standard, ceiling := draw(t, "asked"), draw(t, "default").WithDefaults(), draw(t, "ceiling")
		got := asked
		err := narrowLimits(&got, standard, &ceiling)
		a, g, s, c := reflect.ValueOf(asked), reflect.ValueOf(got), reflect.ValueOf(standard), reflect.ValueOf(ceiling)
		more := false
		for i := range a.NumField() {
			was, is, top := number(a.Field(i)), number(g.Field(i)), number(c.Field(i))
			more = more || top > 0 && was > top
			want := was
			if was == 0 {
				want = number(s.Field(i))
				if top > 0 {
					want = min(want, top)
				}
			}
			if err == nil && is != want {
				t.Fatalf("%s: asked %v, ceiling %v, default %v, is %v", a.Type().Field(i).Name, was, top, number(s.Field(i)), is)
			}
		}
		if more != (err != nil) {
			t.Fatalf("more than the ceiling %v, refused: %v", more, err)
		}
	})
}

func TestM42_The_configuration_wins_and_a_state_holds_wherever_it_is_set(t *testing.T) {
	kept := acme(cellwall.Terms{Concurrency: 1})
	kept.State, kept.Reason = cellwall.TenantQuarantined, "it tried the doors"
	config := cellwall.Tenant{ID: other().ID, Name: "acme", State: cellwall.TenantActive, Terms: cellwall.Terms{Concurrency: 7}}
	fresh := other()
	fresh.State, fresh.Terms = cellwall.TenantActive, cellwall.Terms{Sessions: 3}
	d := open(t, newBook(kept), func(o *Options) {
		o.Config = []cellwall.Tenant{config, fresh}
		o.Defaults = cellwall.Terms{Operator: true, Sessions: 2, Waiting: 9, Ceiling: cellwall.Limits{CPUs: 4}, Rate: cellwall.Rate{PerSecond: 5, Burst: 50}}
	})
	defer d.Close()
	got, err := d.Tenant(kept.ID)
	if err != nil || got.Terms.Concurrency != 7 || got.State != cellwall.TenantQuarantined || got.Reason == "" {
		t.Errorf("%+v, %v", got, err)
	}
	if got.Terms.Operator || got.Terms.Sessions != 2 || got.Terms.Ceiling.CPUs != 4 || got.Terms.Rate.Burst != 50 {
		t.Errorf("defaults: %+v", got.Terms)
	}
	if _, err := d.ChangeTenant(t.Context(), kept.ID, func(t *cellwall.Tenant) { t.Terms.Concurrency = 9 }); cellwall.CodeOf(err) != cellwall.CodeConflict {
		t.Errorf("terms of the configuration were changed: %v", err)
	}
	if got, err := d.ChangeTenant(t.Context(), kept.ID, func(t *cellwall.Tenant) { t.State = cellwall.TenantActive }); err != nil || got.State != cellwall.TenantActive || got.Terms.Concurrency != 7 {
		t.Errorf("released: %+v, %v", got, err)
	}
	fresh.Terms.Sessions = 5
	d.Reload([]cellwall.Tenant{fresh}, cellwall.Terms{Waiting: 9})
	if got, err := d.TenantNamed("acme"); err != nil || got.Terms.Concurrency != 1 {
		t.Errorf("no longer in the configuration: %+v, %v", got, err)
	}
	if got, err := d.TenantNamed("other"); err != nil || got.Terms.Sessions != 5 || got.Terms.Waiting != 9 {
		t.Errorf("after the reload: %+v, %v", got, err)
	}
	if text, _, err := d.NewKey(t.Context(), fresh.ID, "", []string{"execute"}, time.Time{}); err != nil || text == "" {
		t.Errorf("a key of a tenant of the configuration: %v", err)
	}
}

func TestM42_AddTenant_and_ChangeTenant_refuse_what_cannot_be_meant(t *testing.T) {
	d, who := desk(t, cellwall.Terms{})
	defer d.Close()
	for name, code := range map[string]cellwall.ErrorCode{
		"acme": cellwall.CodeConflict, "local": cellwall.CodeConflict, "": cellwall.CodeBadRequest, "Acme": cellwall.CodeBadRequest,
		"-a": cellwall.CodeBadRequest, "a b": cellwall.CodeBadRequest, strings.Repeat("a", 65): cellwall.CodeBadRequest, "é": cellwall.CodeBadRequest,
	} {
		if _, err := d.AddTenant(t.Context(), cellwall.NewID(cellwall.PrefixTenant), name, cellwall.Terms{}); err == nil || cellwall.CodeOf(err) != code {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, change := range map[string]func(*cellwall.Tenant){
		"a state":          func(t *cellwall.Tenant) { t.State = "happy" },
		"a ceiling":        func(t *cellwall.Tenant) { t.Terms.Ceiling.MemoryBytes = -1 },
		"a rate":           func(t *cellwall.Tenant) { t.Terms.Rate.PerSecond = math.NaN() },
		"a subject's rate": func(t *cellwall.Tenant) { t.Terms.SubjectRate.PerSecond = -1 },
		"a concurrency":    func(t *cellwall.Tenant) { t.Terms.Concurrency = -1 },
	} {
		if _, err := d.ChangeTenant(t.Context(), who.Tenant, change); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := d.ChangeTenant(t.Context(), cellwall.LocalTenant, func(t *cellwall.Tenant) { t.State = cellwall.TenantClosed }); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
		t.Errorf("the operator locked itself out: %v", err)
	}
	if _, err := d.ChangeTenant(t.Context(), other().ID, func(*cellwall.Tenant) {}); cellwall.CodeOf(err) != cellwall.CodeNotFound {
		t.Errorf("nobody was changed: %v", err)
	}
	added, err := d.AddTenant(t.Context(), cellwall.NewID(cellwall.PrefixTenant), "new-one", cellwall.Terms{Concurrency: 2})
	if got, err2 := d.Tenant(added.ID); err != nil || err2 != nil || got.Name != "new-one" || got.Terms.Concurrency != 2 {
		t.Errorf("%+v, %v, %v", got, err, err2)
	}
}
