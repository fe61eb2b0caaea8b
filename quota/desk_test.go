package quota

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/cellwall/cellwall"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// book is a Book in memory; package store's tests hold the real one to the same
// words.
type book struct {
	mu       sync.Mutex
	broken   error
	revision int64
	tenants  map[string]cellwall.Tenant
	keys     map[string]cellwall.Key
	usage    map[slot]cellwall.UsageRow
	budgets  map[holder]cellwall.BudgetRow
}

func newBook(tenants ...cellwall.Tenant) *book {
	b := &book{
		tenants: map[string]cellwall.Tenant{}, keys: map[string]cellwall.Key{},
		usage: map[slot]cellwall.UsageRow{}, budgets: map[holder]cellwall.BudgetRow{},
	}
	for _, t := range tenants {
		t.State = cmp.Or(t.State, cellwall.TenantActive)
		b.tenants[t.ID] = t
	}
	return b
}

func locked[T any](b *book, get func() T) (T, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken != nil {
		var none T
		return none, b.broken
	}
	return get(), nil
}

func (b *book) Tenants(context.Context) ([]cellwall.Tenant, error) {
	return locked(b, func() []cellwall.Tenant { return slices.Collect(maps.Values(b.tenants)) })
}

func (b *book) Keys(context.Context) ([]cellwall.Key, error) {
	return locked(b, func() []cellwall.Key { return slices.Collect(maps.Values(b.keys)) })
}

func (b *book) Revision(context.Context) (int64, error) {
	return locked(b, func() int64 { return b.revision })
}

func (b *book) SaveTenant(_ context.Context, t cellwall.Tenant) error {
	return second(locked(b, func() bool { b.revision++; b.tenants[t.ID] = t; return true }))
}

func (b *book) SaveKey(_ context.Context, k cellwall.Key) error {
	return second(locked(b, func() bool { b.revision++; b.keys[k.ID] = k; return true }))
}

func (b *book) AddUsage(_ context.Context, rows []cellwall.UsageRow) error {
	return second(locked(b, func() bool {
		for _, r := range rows {
			s := slot{r.Tenant, r.Subject, r.Hour.Unix()}
			sum := b.usage[s]
			r.Executions += sum.Executions
			r.Refused += sum.Refused
			r.WallMS += sum.WallMS
			r.CPUMS += sum.CPUMS
			r.Bytes += sum.Bytes
			r.TokenCost += sum.TokenCost
			b.usage[s] = r
		}
		return true
	}))
}

func (b *book) Usage(_ context.Context, tenant string, from, to time.Time) ([]cellwall.UsageRow, error) {
	return locked(b, func() (rows []cellwall.UsageRow) {
		for _, r := range b.usage {
			if (tenant == "" || r.Tenant == tenant) && !r.Hour.Before(from) && r.Hour.Before(to) {
				rows = append(rows, r)
			}
		}
		slices.SortFunc(rows, func(a, b cellwall.UsageRow) int { return strings.Compare(a.Tenant+a.Subject, b.Tenant+b.Subject) })
		return rows
	})
}

func (b *book) Budgets(context.Context) ([]cellwall.BudgetRow, error) {
	return locked(b, func() []cellwall.BudgetRow { return slices.Collect(maps.Values(b.budgets)) })
}

func (b *book) SaveBudgets(_ context.Context, rows []cellwall.BudgetRow) error {
	return second(locked(b, func() bool {
		for _, r := range rows {
			b.budgets[holder{r.Tenant, r.Subject}] = r
		}
		return true
	}))
}

func second[A any](_ A, err error) error { return err }

// acme is a tenant with these terms.
func acme(terms cellwall.Terms) cellwall.Tenant {
	return cellwall.Tenant{ID: cellwall.PrefixTenant + "_" + strings.Repeat("a", 26), Name: "acme", Terms: terms}
}

func other() cellwall.Tenant {
	return cellwall.Tenant{ID: cellwall.PrefixTenant + "_" + strings.Repeat("b", 26), Name: "other"}
}

func open(t testing.TB, b *book, change func(*Options)) *Desk {
	t.Helper()
	o := Options{Book: b, Backend: "native", Environment: "python-data-basic"}
	if change != nil {
		change(&o)
	}
	d, err := New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// desk is open for a book with one tenant.
func desk(t testing.TB, terms cellwall.Terms) (*Desk, cellwall.Identity) {
	t.Helper()
	who := acme(terms)
	return open(t, newBook(who), nil), cellwall.Identity{Tenant: who.ID}
}

func TestM42_A_key_is_random_hashed_and_of_E2Bs_form(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		text, k := NewKey("tnt_x", "ci", []string{"execute"}, time.Time{})
		if !IsKey(text) || seen[text] || k.SHA256 != HashKey(text) || strings.Contains(fmt.Sprintf("%+v", k), text[len(KeyPrefix):]) {
			t.Fatalf("%s: %+v", text, k)
		}
		seen[text] = true
	}
	for _, no := range []string{"", "e2b_", "e2b_" + strings.Repeat("g", 40), "e2b_" + strings.Repeat("a", 39), "e2b_" + strings.Repeat("A", 40), strings.Repeat("a", 44)} {
		if IsKey(no) {
			t.Errorf("%q is a key", no)
		}
	}
}

func TestM42_Authenticate_says_the_same_to_every_key_that_opens_nothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shut := other()
		shut.State = cellwall.TenantClosed
		b := newBook(acme(cellwall.Terms{}), shut)
		d := open(t, b, nil)
		defer d.Close()
		make := func(tenant string, expires time.Time) (string, cellwall.Key) {
			text, k, err := d.NewKey(t.Context(), tenant, "", cellwall.Scopes(), expires)
			if err != nil {
				t.Fatal(err)
			}
			return text, k
		}
		good, k := make(acme(cellwall.Terms{}).ID, time.Time{})
		soon, _ := make(acme(cellwall.Terms{}).ID, time.Now().Add(time.Hour))
		revoked, r := make(acme(cellwall.Terms{}).ID, time.Time{})
		closed, _ := make(shut.ID, time.Time{})
		if err := d.Revoke(t.Context(), "", r.ID); err != nil {
			t.Fatal(err)
		}
		who, err := d.Authenticate(t.Context(), good)
		if err != nil || who.Tenant != k.Tenant || who.Key != k.ID || !who.Has(cellwall.ScopeAdmin) {
			t.Fatalf("the key opens nothing: %+v, %v", who, err)
		}
		if _, err := d.Authenticate(t.Context(), soon); err != nil {
			t.Errorf("before it expires: %v", err)
		}
		time.Sleep(time.Hour)
		for name, text := range map[string]string{
			"none": "", "unknown": "e2b_" + strings.Repeat("0", 40), "expired": soon, "revoked": revoked, "of a closed tenant": closed,
			"cut": good[:43], "longer": good + "0", "much longer": good + strings.Repeat("0", 10_000), "upper case": strings.ToUpper(good),
			"the hash": fmt.Sprintf("%x", k.SHA256), "the article's": "your-secret-api-key", "the id": k.ID, "a blank more": good + " ",
		} {
			who, err := d.Authenticate(t.Context(), text)
			if err != errKey || cellwall.CodeOf(err) != cellwall.CodeUnauthenticated || who.Tenant != "" || who.Key != "" || who.Scopes != nil { //nolint:errorlint // the very same
				t.Errorf("%s: %+v, %v", name, who, err)
			}
		}
	})
}

func TestM42_A_key_made_or_revoked_elsewhere_is_known_within_a_second(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook(acme(cellwall.Terms{}))
		here, there := open(t, b, nil), open(t, b, nil)
		defer here.Close()
		defer there.Close()
		text, k, err := there.NewKey(t.Context(), acme(cellwall.Terms{}).ID, "", []string{"execute"}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if _, err := here.Authenticate(t.Context(), text); err != nil {
			t.Error(err)
		}
		if err := there.Revoke(t.Context(), k.Tenant, k.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if _, err := here.Authenticate(t.Context(), text); err == nil {
			t.Error("a revoked key opens")
		}
	})
}

func TestM42_No_key_and_no_tenant_but_the_operator_is_there_at_first(t *testing.T) {
	d := open(t, newBook(), nil)
	defer d.Close()
	if list := d.Tenants(); len(list) != 1 || list[0].ID != cellwall.LocalTenant || !list[0].Terms.Operator {
		t.Errorf("%+v", list)
	}
	if keys := d.Keys(""); len(keys) != 0 {
		t.Errorf("%+v", keys)
	}
}

func TestM42_Keys_of_another_tenant_are_not_there(t *testing.T) {
	d := open(t, newBook(acme(cellwall.Terms{}), other()), nil)
	defer d.Close()
	_, k, err := d.NewKey(t.Context(), acme(cellwall.Terms{}).ID, "", []string{"execute"}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	wrong, none := d.Revoke(t.Context(), other().ID, k.ID), d.Revoke(t.Context(), other().ID, cellwall.NewID(cellwall.PrefixKey))
	if cellwall.CodeOf(wrong) != cellwall.CodeNotFound || wrong.Error() != none.Error() {
		t.Errorf("%v, %v", wrong, none)
	}
	if len(d.Keys(other().ID)) != 0 || len(d.Keys(k.Tenant)) != 1 {
		t.Error("keys are listed for others")
	}
}

func TestM42_NewKey_refuses_what_cannot_be_meant(t *testing.T) {
	d, who := desk(t, cellwall.Terms{})
	defer d.Close()
	for name, c := range map[string]struct {
		tenant, name string
		scopes       []string
		expires      time.Time
		code         cellwall.ErrorCode
	}{
		"no scope":         {who.Tenant, "", nil, time.Time{}, cellwall.CodeBadRequest},
		"an unknown scope": {who.Tenant, "", []string{"root"}, time.Time{}, cellwall.CodeBadRequest},
		"expired":          {who.Tenant, "", []string{"execute"}, time.Now().Add(-time.Second), cellwall.CodeBadRequest},
		"a long name":      {who.Tenant, strings.Repeat("x", 129), []string{"execute"}, time.Time{}, cellwall.CodeBadRequest},
		"a name of bells":  {who.Tenant, "\a", []string{"execute"}, time.Time{}, cellwall.CodeBadRequest},
		"no such tenant":   {other().ID, "", []string{"execute"}, time.Time{}, cellwall.CodeNotFound},
	} {
		if text, _, err := d.NewKey(t.Context(), c.tenant, c.name, c.scopes, c.expires); cellwall.CodeOf(err) != c.code || text != "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestM42_Rates_are_of_the_tenant_and_of_each_subject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, who := desk(t, cellwall.Terms{Rate: cellwall.Rate{PerSecond: 2, Burst: 4}, SubjectRate: cellwall.Rate{PerSecond: 0.5}})
		defer d.Close()
		named := func(s string) cellwall.Identity { who.Subject = s; return who }
		take := func(who cellwall.Identity, retry time.Duration) {
			t.Helper()
			err := d.Take(who)
			if (err == nil) != (retry == 0) || cellwall.RetryAfterOf(err).Round(time.Millisecond) != retry || err != nil && cellwall.CodeOf(err) != cellwall.CodeRateLimited {
				t.Errorf("%s: %v, again in %v, want %v", who.Subject, err, cellwall.RetryAfterOf(err), retry)
			}
		}
		take(named("ann"), 0)
		take(named("ann"), 2*time.Second) // costs the tenant nothing
		take(named("bob"), 0)
		take(named(""), 0)
		take(named(""), 0)
		take(named("eve"), 500*time.Millisecond) // and the tenant's bound costs eve nothing
		time.Sleep(500 * time.Millisecond)
		take(named("eve"), 0)
		time.Sleep(1500 * time.Millisecond)
		take(named("ann"), 0)
		if err := d.Take(cellwall.Identity{Tenant: cellwall.LocalTenant}); err != nil {
			t.Errorf("the operator is bounded: %v", err)
		}
	})
}

func TestTake_forgets_idle_subjects_and_refuses_too_many_busy_ones(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, who := desk(t, cellwall.Terms{SubjectRate: cellwall.Rate{PerSecond: 1}})
		defer d.Close()
		flood := func() (err error) {
			for i := range maxSubjects + 1 {
				who.Subject = fmt.Sprint("s", i)
				if err = d.Take(who); err != nil {
					return err
				}
			}
			return nil
		}
		if err := flood(); cellwall.CodeOf(err) != cellwall.CodeRateLimited {
			t.Errorf("%d subjects at once: %v", maxSubjects+1, err)
		}
		time.Sleep(3 * time.Second)
		d.mu.Lock()
		n := len(d.accounts)
		d.mu.Unlock()
		if n != 0 {
			t.Errorf("%d accounts are remembered though everybody is idle", n)
		}
	})
}

func TestM42_Concurrency_is_of_the_tenant_and_of_each_subject(t *testing.T) {
	d, who := desk(t, cellwall.Terms{Concurrency: 3, SubjectConcurrency: 2})
	defer d.Close()
	enter := func(subject string, ok bool) func(*cellwall.Result, float64) {
		t.Helper()
		who.Subject = subject
		leave, stop, err := d.Enter(who)
		if (err == nil) != ok || stop != nil || err != nil && (cellwall.CodeOf(err) != cellwall.CodeRateLimited || cellwall.RetryAfterOf(err) <= 0) {
			t.Fatalf("%s: %v %v", subject, stop, err)
		}
		return leave
	}
	one, _ := enter("ann", true), enter("ann", true)
	enter("ann", false)
	three := enter("bob", true)
	enter("bob", false)
	enter("", false)
	one(nil, 0)
	one(nil, 0) // once
	enter("", true)
	enter("", false)
	three(&good, 0)
	enter("ann", true)
	rows, err := d.Usage(t.Context(), who.Tenant, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	if err != nil || len(rows) != 3 || rows[0].Refused != 2 || rows[2].Executions != 1 || rows[2].WallMS != 10 {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestM3_Budgets_of_tenants_and_subjects_stop_and_begin_anew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		who := acme(cellwall.Terms{
			Budget: cellwall.Budget{Executions: 4}, SubjectBudget: cellwall.Budget{TokenCost: 1}, BudgetPeriod: 24 * time.Hour,
		})
		b := newBook(who)
		d := open(t, b, nil)
		run := func(subject string, cost float64) *cellwall.Stop {
			t.Helper()
			leave, stop, err := d.Enter(cellwall.Identity{Tenant: who.ID, Subject: subject})
			if err != nil {
				t.Fatal(err)
			}
			if stop == nil {
				leave(&good, cost)
			}
			return stop
		}
		if run("ann", 1.5) != nil || run("bob", 0.5) != nil {
			t.Fatal("stopped at once")
		}
		if stop := run("ann", 0); stop == nil || *stop != (cellwall.Stop{Reason: cellwall.StopTokenCost, Limit: 1, Used: 1.5}) {
			t.Errorf("ann: %+v", stop)
		}
		if err := d.Close(); err != nil { // a restart forgets nothing
			t.Fatal(err)
		}
		d = open(t, b, nil)
		defer d.Close()
		if run("ann", 0) == nil || run("", 0) != nil || run("bob", 0) != nil {
			t.Error("after a restart")
		}
		for _, subject := range []string{"bob", "", "eve"} {
			if stop := run(subject, 0); stop == nil || stop.Reason != cellwall.StopExecutions || stop.Used != 4 {
				t.Errorf("%s: %+v", subject, stop)
			}
		}
		if row := d.Budget(who.ID, ""); row.Used.Executions != 4 || row.Used.TokenCost != 2 {
			t.Errorf("%+v", row)
		}
		time.Sleep(24*time.Hour + 2*time.Second)
		if run("ann", 0) != nil || d.Budget(who.ID, "").Used.Executions != 1 {
			t.Error("a new period does not begin anew")
		}
	})
}

func TestM3_Executions_that_run_count_for_the_budget(t *testing.T) {
	d, who := desk(t, cellwall.Terms{Budget: cellwall.Budget{Executions: 2}})
	defer d.Close()
	one, stop, err := d.Enter(who)
	two, stop2, err2 := d.Enter(who)
	if stop != nil || stop2 != nil || err != nil || err2 != nil {
		t.Fatal(stop, stop2, err, err2)
	}
	if _, stop, _ := d.Enter(who); stop == nil || stop.Used != 2 {
		t.Errorf("a third beside two of two: %+v", stop)
	}
	one(nil, 0) // nothing of it was counted
	two(&good, 0)
	if _, stop, _ := d.Enter(who); stop != nil {
		t.Errorf("one of two is left: %+v", stop)
	}
}

func TestM42_Usage_is_metered_by_subject_and_hour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook(acme(cellwall.Terms{}), other())
		d := open(t, b, nil)
		defer d.Close()
		who := cellwall.Identity{Tenant: acme(cellwall.Terms{}).ID, Subject: "ann"}
		began := time.Now()
		run := func(r cellwall.Result, cost float64) {
			leave, _, err := d.Enter(who)
			if err != nil {
				t.Fatal(err)
			}
			leave(&r, cost)
		}
		run(cellwall.Result{OK: true, Status: cellwall.StatusOK, Usage: cellwall.Usage{WallMS: 10, CPUMS: 7}, Artifacts: []cellwall.Artifact{{Bytes: 5}, {Bytes: 6}}}, 0.25)
		run(refused, 0.5)
		b.mu.Lock()
		b.broken = errors.New("the disk is full")
		b.mu.Unlock()
		time.Sleep(3 * time.Second)
		run(good, 0)
		b.mu.Lock()
		b.broken = nil
		b.mu.Unlock()
		d.Stored(who, 100)
		d.Between(who, 1500*time.Millisecond)
		time.Sleep(time.Hour)
		run(good, 0)
		d.Between(cellwall.Identity{Tenant: "nobody any more"}, time.Second)
		rows, err := d.Usage(t.Context(), who.Tenant, began, began.Add(2*time.Hour))
		slices.SortFunc(rows, func(a, b cellwall.UsageRow) int { return a.Hour.Compare(b.Hour) })
		if err != nil || len(rows) != 2 {
			t.Fatalf("%+v, %v", rows, err)
		}
		if want := (cellwall.UsageRow{
			Tenant: who.Tenant, Subject: "ann", Hour: began.UTC().Truncate(time.Hour), Executions: 2, Refused: 1, WallMS: 20, CPUMS: 1507, Bytes: 111, TokenCost: 0.75,
		}); rows[0] != want || rows[1].Executions != 1 {
			t.Errorf("%+v\nwant %+v", rows, want)
		}
		if rows, err := d.Usage(t.Context(), other().ID, began, began.Add(2*time.Hour)); err != nil || len(rows) != 0 {
			t.Errorf("another tenant's usage: %+v, %v", rows, err)
		}
	})
}

// mayRun reports whether the tenant runs code or is forbidden to.
func mayRun(t *testing.T, d *Desk, who cellwall.Identity) bool {
	t.Helper()
	leave, _, err := d.Enter(who)
	if err != nil && cellwall.CodeOf(err) != cellwall.CodeForbidden {
		t.Fatal(err)
	}
	if err == nil {
		leave(nil, 0)
	}
	return err == nil
}

func TestM34_A_tenant_whose_runs_keep_hitting_the_wall_goes_into_quarantine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook(acme(cellwall.Terms{}), other())
		var told []cellwall.Happening
		d := open(t, b, func(o *Options) {
			o.Quarantine = Quarantine{Hits: 3, Window: time.Minute}
		})
		defer d.Close()
		d.Hear(func(h cellwall.Happening) { told = append(told, h) })
		who, quiet := cellwall.Identity{Tenant: acme(cellwall.Terms{}).ID}, cellwall.Identity{Tenant: other().ID}
		hit := func(who cellwall.Identity) {
			d.Watch(who, cellwall.StatusError, cellwall.CauseException, []cellwall.Refusal{{Call: "ptrace", Count: 1}})
		}
		works := func(who cellwall.Identity) bool { return mayRun(t, d, who) }
		for range 10 { // far apart
			hit(who)
			time.Sleep(40 * time.Second)
		}
		for range 5 { // no hits
			d.Watch(who, cellwall.StatusError, cellwall.CauseException, nil)
			d.Watch(who, cellwall.StatusTimeout, cellwall.CauseDeadline, nil)
			d.Watch(who, cellwall.StatusCrashed, "exit:7", nil)
		}
		for range 5 {
			hit(cellwall.Identity{Tenant: cellwall.LocalTenant})
		}
		if !works(who) || !works(cellwall.Identity{Tenant: cellwall.LocalTenant}) {
			t.Fatal("in quarantine for nothing")
		}
		time.Sleep(time.Minute)
		hit(who)
		d.Watch(who, cellwall.StatusMemoryLimit, cellwall.CauseOOM, nil)
		hit(quiet)
		d.Watch(who, cellwall.StatusCrashed, "signal:SIGSEGV", nil)
		if works(who) || !works(quiet) {
			t.Fatal("the third hit within a minute does not count at once")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		req := cellwall.Request{Identity: who}
		if err := d.Narrow(&req); cellwall.CodeOf(err) != cellwall.CodeForbidden {
			t.Errorf("Narrow: %v", err)
		}
		kept := b.tenants[who.Tenant]
		if kept.State != cellwall.TenantQuarantined || !strings.Contains(kept.Reason, "signal:SIGSEGV") {
			t.Errorf("the book says %+v", kept)
		}
		if len(told) != 1 || told[0].Kind != KindQuarantined || told[0].Tenant != who.Tenant {
			t.Errorf("told %+v", told)
		}
		if _, err := d.ChangeTenant(t.Context(), who.Tenant, func(t *cellwall.Tenant) { t.State = cellwall.TenantActive }); err != nil || !works(who) {
			t.Errorf("released: %v", err)
		}
		if len(told) != 2 || told[1].Kind != KindReleased {
			t.Errorf("told %+v", told)
		}
	})
}

func BenchmarkAuthenticate(b *testing.B) {
	d, who := desk(b, cellwall.Terms{})
	defer d.Close()
	good, _, _ := d.NewKey(context.Background(), who.Tenant, "", []string{"execute"}, time.Time{})
	revoked, k, _ := d.NewKey(context.Background(), who.Tenant, "", []string{"execute"}, time.Time{})
	if err := d.Revoke(context.Background(), "", k.ID); err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{"good": good, "revoked": revoked, "unknown": "e2b_" + strings.Repeat("0", 40)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = d.Authenticate(context.Background(), text)
			}
		})
	}
}

// BenchmarkDesk is everything that a request costs here.
func BenchmarkDesk(b *testing.B) {
	d, who := desk(b, cellwall.Terms{
		Rate: cellwall.Rate{PerSecond: 1e9}, SubjectRate: cellwall.Rate{PerSecond: 1e9}, Concurrency: 10, SubjectConcurrency: 10,
		Budget: cellwall.Budget{Failures: 10}, SubjectBudget: cellwall.Budget{Failures: 10}, Ceiling: cellwall.DefaultLimits(),
	})
	defer d.Close()
	key, _, _ := d.NewKey(context.Background(), who.Tenant, "", []string{"execute"}, time.Time{})
	b.ReportAllocs()
	for b.Loop() {
		who, err := d.Authenticate(context.Background(), key)
		who.Subject = "ann"
		req := cellwall.Request{Identity: who}
		if err := cmp.Or(err, d.Take(who), d.Narrow(&req)); err != nil {
			b.Fatal(err)
		}
		leave, stop, err := d.Enter(who)
		if err != nil || stop != nil {
			b.Fatal(stop, err)
		}
		leave(&good, 0)
	}
}
