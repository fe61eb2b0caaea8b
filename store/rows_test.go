package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

func TestM42_ATenantAndItsKeysComeBackAsTheyWereSaved(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		who := cellwall.Tenant{
			ID: "tnt_a", Name: "acme", State: cellwall.TenantActive, Reason: "because", Created: noon,
			Terms: cellwall.Terms{
				Ceiling: cellwall.Limits{Timeout: time.Second, MemoryBytes: 5}, Environments: []string{"x"},
				Rate: cellwall.Rate{PerSecond: 1.5, Burst: 3}, Budget: cellwall.Budget{Time: time.Hour}, StoreBytes: 1 << 40,
			},
		}
		key := cellwall.Key{ID: "key_1", Tenant: "tnt_a", Name: "n", Scopes: []string{"execute", "audit"}, SHA256: [32]byte{1, 2}, Created: noon, Expires: noon.Add(time.Hour)}
		before, _ := s.Revision(ctx)
		if err := errors.Join(s.SaveTenant(ctx, who), s.SaveKey(ctx, key)); err != nil {
			t.Fatal(err)
		}
		tenants, err := s.Tenants(ctx)
		if err != nil || !reflect.DeepEqual(tenants, []cellwall.Tenant{who}) {
			t.Errorf("%+v, %v", tenants, err)
		}
		key.Revoked = noon.Add(time.Minute)
		if err := s.SaveKey(ctx, key); err != nil {
			t.Fatal(err)
		}
		keys, err := s.Keys(ctx)
		if err != nil || !reflect.DeepEqual(keys, []cellwall.Key{key}) {
			t.Errorf("%+v, %v", keys, err)
		}
		if after, err := s.Revision(ctx); err != nil || after != before+3 {
			t.Errorf("revision %d after %d, %v", after, before, err)
		}
		wantCode(t, s.SaveTenant(ctx, cellwall.Tenant{ID: "tnt_b", Name: "acme"}), cellwall.CodeConflict)
		for _, stolen := range []cellwall.Key{
			{ID: "key_2", Tenant: "tnt_b", SHA256: key.SHA256}, {ID: "key_1", Tenant: "tnt_b", SHA256: key.SHA256}, {ID: "key_1", Tenant: "tnt_a"},
		} {
			wantCode(t, s.SaveKey(ctx, stolen), cellwall.CodeConflict)
		}
	})
}

func TestM42_WhatIsAnothersIsWhatNeverWas(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		k := done("tnt_a")
		keep(t, s, k)
		hook := cellwall.Webhook{ID: "hook_1", Tenant: "tnt_a"}
		if err := errors.Join(s.SaveWebhook(ctx, hook), s.SaveAlert(ctx, cellwall.AlertRule{ID: "alrt_1", Tenant: "tnt_a"})); err != nil {
			t.Fatal(err)
		}
		texts := map[string]bool{}
		for _, c := range []struct{ tenant, execution, hook, alert string }{
			{"tnt_b", k.ID, "hook_1", "alrt_1"}, {"tnt_b", cellwall.NewID("exec"), "hook_2", "alrt_2"}, {"tnt_a", cellwall.NewID("exec"), "hook_2", "alrt_2"},
		} {
			_, err := s.Execution(ctx, c.tenant, c.execution)
			wantCode(t, err, cellwall.CodeNotFound)
			_, hookErr := s.Webhook(ctx, c.tenant, c.hook)
			wantCode(t, hookErr, cellwall.CodeNotFound)
			wantCode(t, s.DeleteWebhook(ctx, c.tenant, c.hook), cellwall.CodeNotFound)
			wantCode(t, s.DeleteAlert(ctx, c.tenant, c.alert), cellwall.CodeNotFound)
			texts[err.Error()+cellwall.HintOf(err)+hookErr.Error()+cellwall.HintOf(hookErr)] = true
		}
		if len(texts) != 1 {
			t.Errorf("the words differ: %v", texts)
		}
		if list, _, err := s.Executions(ctx, "tnt_b", cellwall.Page{Limit: 10}); err != nil || len(list) != 0 {
			t.Error(list, err)
		}
	})
}

func TestExecution_comesBackAsItWasKept(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		k := done("tnt_a")
		k.Identity.Key, k.Identity.Subject, k.Session = "key_1", "ann", "sess_1"
		k.Metadata = map[string]string{"job": "\x00 7"}
		keep(t, s, k)
		got, err := s.Execution(t.Context(), "tnt_a", k.ID)
		k.State = cellwall.WorkDone
		if err != nil || !reflect.DeepEqual(got, k) {
			t.Errorf("got  %+v\nwant %+v\n%v", got, k, err)
		}
		wantCode(t, s.KeepExecution(t.Context(), k, nil, nil, Answer{}), cellwall.CodeConflict)
	})
}

func TestExecutions_areListedInPartsAndEachIsInOne(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		var want []string
		for i := range 7 {
			k := done("tnt_a")
			k.At = noon.Add(time.Duration(i/3) * time.Second) // some at the same time
			keep(t, s, k)
			want = append(want, k.ID)
		}
		page, got := cellwall.Page{Limit: 3}, []string{}
		var last time.Time
		for {
			list, next, err := s.Executions(t.Context(), "tnt_a", page)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range list {
				if !last.IsZero() && k.At.After(last) || k.Result != nil {
					t.Errorf("%v after %v, with %d bytes", k.At, last, len(k.Result))
				}
				last, got = k.At, append(got, k.ID)
			}
			if page.After = next; next == "" {
				break
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		for _, page := range []cellwall.Page{{Limit: 0}, {Limit: 201}, {Limit: 1, After: "x"}, {Limit: 1, After: "1."}, {Limit: 1, After: ".a"}} {
			_, _, err := s.Executions(t.Context(), "tnt_a", page)
			wantCode(t, err, cellwall.CodeBadRequest)
		}
	})
}

func TestM52_EventsHaveNoGapsAndReachTheWebhooksThatWantThem(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		for _, w := range []cellwall.Webhook{
			{ID: "hook_all", Tenant: "tnt_a", URL: "u", Secret: "s", State: cellwall.WebhookActive, At: noon},
			{ID: "hook_done", Tenant: "tnt_a", Kinds: []string{"execution.done", "x"}, State: cellwall.WebhookActive},
			{ID: "hook_off", Tenant: "tnt_a", State: cellwall.WebhookPaused},
			{ID: "hook_b", Tenant: "tnt_b", State: cellwall.WebhookActive},
		} {
			if err := s.SaveWebhook(ctx, w); err != nil {
				t.Fatal(err)
			}
		}
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				kind := []string{"execution.done", "execution"}[i%2]
				if _, err := s.AppendEvent(ctx, cellwall.Happening{Tenant: "tnt_a", Kind: kind, Data: json.RawMessage(`{"a":1}`)}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		events, err := s.Events(ctx, "tnt_a", 3, 100)
		if err != nil || len(events) != 17 || events[0].Seq != 4 || events[16].Seq != 20 || string(events[0].Data) != `{"a":1}` {
			t.Errorf("%d events, %v", len(events), err)
		}
		count := map[string]int{}
		now := time.Now()
		first, err := s.Due(ctx, now, 25)
		second, err2 := s.Due(ctx, now, 25)
		third, err3 := s.Due(ctx, now, 25)
		if err := errors.Join(err, err2, err3); err != nil || len(third) != 0 {
			t.Fatal(len(third), err)
		}
		for _, d := range append(first, second...) {
			count[d.Webhook.ID]++
			count[fmt.Sprint(d.Webhook.ID, d.Happening.Seq)]++
			if d.Webhook.ID == "hook_done" && d.Happening.Kind != "execution.done" {
				t.Errorf("%+v", d)
			}
		}
		if count["hook_all"] != 20 || count["hook_done"] != 10 || count["hook_b"] != 0 || count["hook_all7"] != 1 {
			t.Errorf("%v", count)
		}
		d := first[0].Delivery
		d.Tries, d.State, d.LastStatus = 1, cellwall.DeliveryTaken, 204
		if err := s.Tried(ctx, d); err != nil {
			t.Fatal(err)
		}
		if again, err := s.Due(ctx, now.Add(2*time.Minute), 100); err != nil || len(again) != 29 {
			t.Errorf("%d are due again, %v", len(again), err)
		}
		if err := s.DeleteWebhook(ctx, "tnt_a", "hook_all"); err != nil {
			t.Fatal(err)
		}
		if again, err := s.Due(ctx, now.Add(9*time.Minute), 100); err != nil || len(again) > 10 {
			t.Errorf("%d are due after the webhook went, %v", len(again), err)
		}
	})
}

func TestUsage_addsUpAndBudgetsAreReplaced(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		row := cellwall.UsageRow{Tenant: "tnt_a", Subject: "ann", Hour: noon, Executions: 1, Refused: 2, WallMS: 1.5, CPUMS: 0.5, Bytes: 7, TokenCost: 0.25}
		other := cellwall.UsageRow{Tenant: "tnt_b", Hour: noon, Executions: 9}
		for range 2 {
			if err := s.AddUsage(ctx, []cellwall.UsageRow{row, other}); err != nil {
				t.Fatal(err)
			}
		}
		hour := noon.Truncate(time.Hour)
		got, err := s.Usage(ctx, "tnt_a", hour, hour.Add(time.Hour))
		want := cellwall.UsageRow{Tenant: "tnt_a", Subject: "ann", Hour: hour, Executions: 2, Refused: 4, WallMS: 3, CPUMS: 1, Bytes: 14, TokenCost: 0.5}
		if err != nil || !slices.Equal(got, []cellwall.UsageRow{want}) {
			t.Errorf("%+v, %v", got, err)
		}
		if all, err := s.Usage(ctx, "", hour, hour.Add(time.Hour)); err != nil || len(all) != 2 {
			t.Errorf("%+v, %v", all, err)
		}
		if none, err := s.Usage(ctx, "tnt_a", hour.Add(time.Hour), hour.Add(2*time.Hour)); err != nil || len(none) != 0 {
			t.Errorf("%+v, %v", none, err)
		}
		budget := cellwall.BudgetRow{Tenant: "tnt_a", Used: cellwall.Budget{Executions: 3, Time: time.Minute}, Class: "KeyError", Since: noon}
		for i := range 2 {
			budget.Used.Executions = i
			if err := s.SaveBudgets(ctx, []cellwall.BudgetRow{budget}); err != nil {
				t.Fatal(err)
			}
		}
		if rows, err := s.Budgets(ctx); err != nil || !slices.Equal(rows, []cellwall.BudgetRow{budget}) {
			t.Errorf("%+v, %v", rows, err)
		}
	})
}

func TestAlerts_whatWasDeletedIsNotNoted(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		a := cellwall.AlertRule{ID: "alrt_1", Tenant: "tnt_a", Rule: json.RawMessage(`{"r":1}`), State: json.RawMessage(`{}`), At: noon}
		b := cellwall.AlertRule{ID: "alrt_1", Tenant: "tnt_b", Rule: json.RawMessage(`{}`), State: json.RawMessage(`{}`), At: noon}
		if err := errors.Join(s.SaveAlert(ctx, a), s.SaveAlert(ctx, b)); err != nil {
			t.Fatal(err)
		}
		a.State = json.RawMessage(`{"s":2}`)
		if err := s.NoteAlert(ctx, a); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Alerts(ctx, "tnt_a"); err != nil || !reflect.DeepEqual(got, []cellwall.AlertRule{a}) {
			t.Errorf("%+v, %v", got, err)
		}
		if err := errors.Join(s.DeleteAlert(ctx, "tnt_a", "alrt_1"), s.NoteAlert(ctx, a)); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Alerts(ctx, ""); err != nil || !reflect.DeepEqual(got, []cellwall.AlertRule{b}) {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestSecret_isMadeOnce(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		a, err := s.Secret(context.Background(), "links")
		b, err2 := s.Secret(context.Background(), "links")
		c, err3 := s.Secret(context.Background(), "cursors")
		if err := errors.Join(err, err2, err3); err != nil || len(a) != 32 || !slices.Equal(a, b) || slices.Equal(a, c) {
			t.Error(a, b, c, err)
		}
	})
}
