package store

import (
	"slices"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

func TestM4_TheToolsOfASessionAreKeptWithIt(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		clock := &clock{now: noon}
		s := openAt(t, address, Options{Now: clock.Now})
		ctx := t.Context()
		begin := func(id string) {
			t.Helper()
			if err := s.OpenSession(ctx, LiveSession{
				Tenant: "tnt_a", ID: id, At: noon, Tools: []byte(`{"p":1}`), ToolsUntil: noon.Add(time.Hour),
			}, said("session.opened")); err != nil {
				t.Fatal(err)
			}
		}
		begin("sess_1")
		b, err := s.Toolbox(ctx, "tnt_a", "sess_1")
		if err != nil || string(b.Plan) != `{"p":1}` || b.State != nil || b.Tables != nil || !b.Until.Equal(noon.Add(time.Hour)) {
			t.Fatalf("%+v, %v", b, err)
		}
		_, err = s.Toolbox(ctx, "tnt_b", "sess_1")
		wantCode(t, err, cellwall.CodeNotFound)
		again := b
		b.State, b.Tables = []byte(`{"s":1}`), []byte(`[]`)
		if err := s.SaveToolbox(ctx, b); err != nil {
			t.Fatal(err)
		}
		again.State = []byte(`{"s":2}`)
		wantCode(t, s.SaveToolbox(ctx, again), cellwall.CodeConflict)
		if b, err = s.Toolbox(ctx, "tnt_a", "sess_1"); err != nil || string(b.State) != `{"s":1}` || string(b.Tables) != `[]` || b.Rev != 1 {
			t.Errorf("%+v, %v", b, err)
		}
		begin("sess_2")
		for id, kept := range map[string]bool{"sess_1": true, "sess_2": false} {
			if err := s.EndSession(ctx, "tnt_a", id, kept, said("session.ended")); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Toolbox(ctx, "tnt_a", id); (err == nil) != kept {
				t.Errorf("%s afterwards: %v", id, err)
			}
		}
		clock.pass(2 * time.Hour)
		_, err = s.Toolbox(ctx, "tnt_a", "sess_1")
		wantCode(t, err, cellwall.CodeNotFound)
		if n, err := s.Retire(ctx, Retention{}); n != 1 || err != nil {
			t.Errorf("%d rows were retired, %v", n, err)
		}
	})
}

func asking(tenant string, kind cellwall.ApprovalKind) cellwall.Approval {
	return cellwall.Approval{
		ID: cellwall.NewID(cellwall.PrefixApproval), Kind: kind, State: cellwall.ApprovalWaiting,
		Asked: cellwall.Identity{Tenant: tenant, Key: "key_a", Subject: "bot"}, At: noon, Expires: noon.Add(time.Hour),
		Execution: cellwall.NewID(cellwall.PrefixExecution), Code: "1", Purpose: "why", Request: []byte(`{"body":1}`),
	}
}

func noteOf(a cellwall.Approval, action string) Note {
	return Note{ID: a.ID + "." + action, At: noon, Entry: []byte(`{}`), Told: []cellwall.Happening{{Tenant: a.Asked.Tenant, Kind: "approval." + action}}}
}

func TestM53_ADecisionIsKeptOnceWithWhatFollowsFromIt(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		clock := &clock{now: noon}
		s := openAt(t, address, Options{Now: clock.Now})
		ctx := t.Context()
		a := asking("tnt_a", cellwall.ApprovalExecution)
		k := cellwall.KeptExecution{ID: a.Execution, Identity: a.Asked, At: noon, Request: []byte(`{"body":1}`)}
		if err := s.Ask(ctx, a, &k, 1, noteOf(a, "requested")); err != nil {
			t.Fatal(err)
		}
		more := asking("tnt_a", cellwall.ApprovalArtifact)
		wantCode(t, s.Ask(ctx, more, nil, 1, noteOf(more, "requested")), cellwall.CodeRateLimited)
		got, err := s.Approval(ctx, "tnt_a", a.ID)
		if err != nil || got.Code != "1" || got.Asked.Key != "key_a" || got.Asked.Subject != "bot" || !got.Expires.Equal(a.Expires) || !got.DecidedAt.IsZero() {
			t.Fatalf("%+v, %v", got, err)
		}
		_, err = s.Approval(ctx, "tnt_b", a.ID)
		wantCode(t, err, cellwall.CodeNotFound)
		if of, err := s.ApprovalOf(ctx, "tnt_a", cellwall.ApprovalExecution, a.Execution); err != nil || of.ID != a.ID {
			t.Errorf("%+v, %v", of, err)
		}
		if kept, err := s.Execution(ctx, "tnt_a", a.Execution); err != nil || kept.State != cellwall.WorkWaiting {
			t.Errorf("%+v, %v", kept, err)
		}
		if mine, err := s.Begin(ctx, "tnt_a", a.Execution); mine || err != nil {
			t.Errorf("it begins before somebody has approved it: %v, %v", mine, err)
		}
		if queued, err := s.Adopt(ctx, nil); len(queued) != 0 || err != nil {
			t.Errorf("it is adopted: %+v, %v", queued, err)
		}
		got.State, got.Code, got.Decided, got.DecidedAt, got.Comment = cellwall.ApprovalEdited, "2", cellwall.Identity{Key: "key_b"}, noon.Add(time.Minute), "so"
		if err := s.Decide(ctx, got, []byte(`{"body":2}`), noteOf(a, "edited")); err != nil {
			t.Fatal(err)
		}
		got.State = cellwall.ApprovalRejected
		wantCode(t, s.Decide(ctx, got, nil, noteOf(a, "rejected")), cellwall.CodeConflict)
		kept, err := s.Execution(ctx, "tnt_a", a.Execution)
		if err != nil || kept.State != cellwall.WorkQueued || string(kept.Request) != `{"body":2}` {
			t.Errorf("%+v, %v", kept, err)
		}
		got.Outcome = []byte(`{"large":1}`)
		if err := s.Done(ctx, got); err != nil {
			t.Fatal(err)
		}
		if list, _, err := s.Approvals(ctx, "tnt_a", "", cellwall.Page{Limit: 10}); len(list) != 1 || len(list[0].Outcome) != 0 || list[0].Code != "2" || err != nil {
			t.Errorf("a list has what came of each: %+v, %v", list, err)
		}
		got, err = s.Approval(ctx, "tnt_a", a.ID)
		if err != nil || string(got.Outcome) != `{"large":1}` || got.State != cellwall.ApprovalEdited || got.Code != "2" || got.Decided.Key != "key_b" || got.Comment != "so" {
			t.Errorf("%+v, %v", got, err)
		}
		if kinds := kindsOf(t, s, "tnt_a"); !slices.Equal(kinds, []string{"approval.requested", "approval.edited"}) {
			t.Errorf("%q", kinds)
		}
		if list, next, err := s.Approvals(ctx, "tnt_a", cellwall.ApprovalWaiting, cellwall.Page{Limit: 10}); len(list) != 0 || next != "" || err != nil {
			t.Errorf("%+v %q %v", list, next, err)
		}
	})
}

func TestM53_WhatADeadServiceHasDecidedIsDoneByTheNext(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		clock := &clock{now: noon}
		dead := openAt(t, address, Options{Now: clock.Now})
		ctx := t.Context()
		a, late := asking("tnt_a", cellwall.ApprovalTool), asking("tnt_a", cellwall.ApprovalTool)
		for _, one := range []cellwall.Approval{a, late} {
			if err := dead.Ask(ctx, one, nil, 10, noteOf(one, "requested")); err != nil {
				t.Fatal(err)
			}
		}
		a.State, a.DecidedAt = cellwall.ApprovalApproved, noon
		if err := dead.Decide(ctx, a, nil, noteOf(a, "approved")); err != nil {
			t.Fatal(err)
		}
		if list, err := dead.Undone(ctx); len(list) != 0 || err != nil {
			t.Errorf("its own decision: %+v, %v", list, err)
		}
		dead.crash(t)
		clock.pass(2 * time.Hour)
		s := openAt(t, address, Options{Now: clock.Now})
		list, err := s.Undone(ctx)
		if err != nil || len(list) != 1 || list[0].ID != a.ID || list[0].State != cellwall.ApprovalApproved {
			t.Fatalf("%+v, %v", list, err)
		}
		list[0].Outcome = []byte(`{"ok":true}`)
		if err := s.Done(ctx, list[0]); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Approval(ctx, "tnt_a", a.ID); err != nil || string(got.Outcome) != `{"ok":true}` {
			t.Errorf("%+v, %v", got, err)
		}
		if list, err := s.Overdue(ctx); err != nil || len(list) != 1 || list[0].ID != late.ID {
			t.Errorf("%+v, %v", list, err)
		}
		if n, err := s.Retire(ctx, Retention{Executions: time.Hour}); err != nil || n < 1 {
			t.Errorf("%d, %v", n, err)
		}
		_, err = s.Approval(ctx, "tnt_a", a.ID)
		wantCode(t, err, cellwall.CodeNotFound)
		if _, err := s.Approval(ctx, "tnt_a", late.ID); err != nil {
			t.Errorf("what waits is retired: %v", err)
		}
	})
}

func TestM53_AnArtifactIsAskedForOnce(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		clock := &clock{now: noon}
		s := openAt(t, address, Options{Now: clock.Now})
		ask := func(artifact string) error {
			a := asking("tnt_a", cellwall.ApprovalArtifact)
			a.Artifact = artifact
			return s.Ask(t.Context(), a, nil, 10, noteOf(a, "requested"))
		}
		for _, artifact := range []string{"art_a", "art_b"} {
			if err := ask(artifact); err != nil {
				t.Fatal(err)
			}
		}
		wantCode(t, ask("art_a"), cellwall.CodeConflict)
		if list, _, err := s.Approvals(t.Context(), "tnt_b", "", cellwall.Page{Limit: 10}); len(list) != 0 || err != nil {
			t.Errorf("another tenant's: %+v %v", list, err)
		}
	})
}
