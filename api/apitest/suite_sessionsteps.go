package apitest

import (
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
)

func aSessionGoesBackWithItsFiles(t *testing.T, s *Service) {
	k := begin(t, s, `{}`)
	type back struct {
		Checkpoint string
		Cells      int
		Files      bool
		Lost       []cellwall.Notice
	}
	to := k.after(t, k.cell(t, "x = 1; open('a.txt', 'w').write('one')").ID)
	k.cell(t, "x = 2; open('a.txt', 'w').write('two')")
	k.after(t, k.cell(t, "x = 3").ID)
	if b := Into[back](t, k.do(t, 200, "rollback", `{}`), 200); b.Cells != 1 || b.Checkpoint == "" || b.Checkpoint == to {
		t.Errorf("one cell is undone: %+v", b)
	}
	k.says(t, "print(x, open('a.txt').read())", "2 two\n")
	if b := Into[back](t, k.do(t, 200, "rollback", `{"to":"`+to+`"}`), 200); b.Checkpoint != to || !b.Files || b.Lost == nil || len(b.Lost) != 0 {
		t.Errorf("to the first: %+v", b)
	}
	k.says(t, "print(x, open('a.txt').read())", "1 one\n")
	DemandProblem(t, "a checkpoint of nobody", k.Call(t, "POST", k.path+"/rollback", s.Key, `{"to":"`+cellwall.NewID(cellwall.PrefixCheckpoint)+`"}`), 404, "not_found")
	k.says(t, "print(x)", "1\n")
}

func aSessionBranchesAndComesBack(t *testing.T, s *Service) {
	k := begin(t, s, `{}`)
	type branched struct {
		Branch, Checkpoint string
		New                bool
	}
	from := k.after(t, k.cell(t, "x = 1").ID)
	k.after(t, k.cell(t, "x = 2").ID)
	if b := Into[branched](t, k.do(t, 201, "branch", `{"name":"other","from":"`+from+`"}`), 201); b != (branched{"other", from, true}) {
		t.Errorf("%+v", b)
	}
	k.says(t, "print(x)", "1\n")
	k.after(t, k.cell(t, "x = 10").ID)
	if v := k.view(t); v.Branch != "other" || !slices.Equal(v.Branches, []string{"main", "other"}) {
		t.Errorf("%+v", v)
	}
	if b := Into[branched](t, k.do(t, 201, "branch", `{"name":"main"}`), 201); b.Branch != "main" || b.New {
		t.Errorf("back on the first: %+v", b)
	}
	k.says(t, "print(x)", "2\n")
	k.do(t, 201, "branch", `{"name":"other"}`)
	k.says(t, "print(x)", "10\n")
}

func aPausedSessionGoesOnWhereItWas(t *testing.T, s *Service) {
	k := begin(t, s, `{}`)
	k.cell(t, "x = 7")
	for range 2 { // a second one changes nothing
		if v := Into[sessionView](t, k.do(t, 200, "pause", ""), 200); v.State != "paused" || v.ID != k.id {
			t.Errorf("%+v", v)
		}
	}
	DemandProblem(t, "a cell meanwhile", k.Call(t, "POST", k.path+"/executions", s.Key, `{"code":"x = 8"}`), 409, "conflict")
	if v := k.view(t); v.State != "paused" || v.Executions != 1 {
		t.Errorf("meanwhile it is %+v", v)
	}
	for range 2 {
		if v := Into[sessionView](t, k.do(t, 200, "resume", ""), 200); v.State != "ready" {
			t.Errorf("%+v", v)
		}
	}
	k.says(t, "print(x)", "7\n")
}

// A session that says it runs can be interrupted, whether its code has been sent by
// then or not.
func anInterruptedCellLeavesTheSession(t *testing.T, s *Service) {
	k := begin(t, s, `{"limits":{"timeout_ms":60000}}`)
	k.cell(t, "x = 5")
	if a := k.do(t, 202, "interrupt", ""); Into[Listed](t, a, 202).ID != k.id {
		t.Errorf("where nothing runs: %s", a.Body)
	}
	ended := make(chan Answer, 1)
	go func() {
		ended <- k.Call(t, "POST", k.path+"/executions", s.Key, `{"code":"import time\ntime.sleep(50)\nx = 6"}`)
	}()
	await(t, "the cell does not run", func() bool { return k.view(t).State == "running" })
	k.do(t, 202, "interrupt", "")
	r := Into[cellwall.Result](t, <-ended, 200)
	if r.OK || r.Error == nil || r.Error.Type != "KeyboardInterrupt" {
		t.Errorf("%s %+v", r.Status, r.Error)
	}
	k.says(t, "print(x)", "5\n")
}
