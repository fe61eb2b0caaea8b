package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/cellwall/cellwall"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRun_takes_an_execution_from_request_to_record(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("x\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sb := ok()
	sb.end.Usage = cellwall.Usage{WallMS: 2}
	sb.end.Refused = []cellwall.Refusal{{Call: "ptrace", Count: 2}}
	sb.events = []cellwall.Event{
		{Kind: cellwall.EventStarted},
		{Kind: cellwall.EventDatasets, Data: asJSON(t, []cellwall.Dataset{{Name: "a.csv", Rows: 1}})},
		out("hello\n"),
		{Kind: cellwall.EventStderr, Data: []byte("warn")},
		{Kind: cellwall.EventResult, Rich: &cellwall.Rich{IsMainResult: true, Data: map[string]json.RawMessage{"text/plain": []byte(`"1"`)}}},
		{Kind: cellwall.EventNotice, Data: asJSON(t, cellwall.Notice{Code: "empty_result"})},
		{Kind: cellwall.EventDone},
	}
	h := &house{next: sb}
	r, err := h.controller(t).Run(context.Background(), cellwall.Request{
		Code: "\uFEFFprint(1)", Datasets: []cellwall.Input{{Name: "a.csv", Dataset: "ds_a", FD: int(f.Fd()), Size: 4}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK || r.Stdout.Text != "hello\n" || r.Stderr.Text != "warn" || len(r.Results) != 1 || r.Usage.WallMS != 2 || r.Usage.StartupMS <= 0 {
		t.Errorf("result %+v", r)
	}
	if len(r.Artifacts) != 1 || r.Warnings[0] != "warned" || !r.Observation.OK || h.destroyed != 1 {
		t.Errorf("artifacts %v warnings %v destroyed %d", r.Artifacts, r.Warnings, h.destroyed)
	}
	if sb.code.Source != "print(1)" || sb.bound.Limits != cellwall.DefaultLimits() || sb.bound.Identity.Tenant != "local" {
		t.Errorf("code %q bound %+v", sb.code.Source, sb.bound)
	}
	if len(r.Datasets) != 1 || r.Datasets[0].ID != "ds_a" || r.Datasets[0].Bytes != 4 || r.Datasets[0].SHA256 != "daff832f802000e645771a60983c76c963f6ee602a6230e45237bd360e91cc1a" {
		t.Errorf("datasets %+v", r.Datasets)
	}
	e := h.entries[0]
	if e.V != 1 || e.ID != r.ID || e.Status != r.Status || e.Inputs[0].SHA256 != r.Datasets[0].SHA256 ||
		e.Artifacts[0].SHA256 != "ab" || e.Refused[0].Count != 2 || e.Environment != "basic@sha256:00" && e.Environment != "" {
		t.Errorf("entry %+v", e)
	}
	if h.evidence.Notices[0].Code != "empty_result" {
		t.Errorf("notices %v", h.evidence.Notices)
	}
}

func TestRun_no_list_is_null_in_JSON(t *testing.T) {
	h := &house{next: ok()}
	for _, code := range []string{"1", "\x00"} {
		r, err := h.controller(t).Run(context.Background(), cellwall.Request{Code: code})
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := json.Unmarshal(asJSON(t, r), &doc); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"findings", "results", "artifacts", "skipped_artifacts", "warnings"} {
			if _, list := doc[key].([]any); !list {
				t.Errorf("code %q: %s is %v", code, key, doc[key])
			}
		}
		if doc["boundary"].(map[string]any)["degraded"] == nil {
			t.Errorf("code %q: degraded is null", code)
		}
	}
}

func TestRun_refuses_before_anything_runs(t *testing.T) {
	sb := ok()
	h := &house{next: sb}
	r, err := h.controller(t).Run(context.Background(), cellwall.Request{Code: "x = 1\n\x00"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != cellwall.StatusRefused || r.Cause != cellwall.CausePolicy || r.Findings[0].Line != 2 || sb.ran || h.destroyed != 0 {
		t.Errorf("result %+v ran %v", r, sb.ran)
	}
	if len(h.entries) != 1 || h.entries[0].Status != cellwall.StatusRefused {
		t.Errorf("entries %+v", h.entries)
	}
}

func TestRun_bad_requests(t *testing.T) {
	in := func(names ...string) (inputs []cellwall.Input) {
		for _, n := range names {
			inputs = append(inputs, cellwall.Input{Name: n})
		}
		return inputs
	}
	for name, req := range map[string]cellwall.Request{
		"no code":          {},
		"strict profile":   {Code: "1", Profile: "strict"},
		"unknown profile":  {Code: "1", Profile: "loose"},
		"unknown backend":  {Code: "1", Backend: "vm"},
		"little memory":    {Code: "1", Limits: cellwall.Limits{MemoryBytes: 1}},
		"a path as name":   {Code: "1", Datasets: in("../a.csv")},
		"dots as name":     {Code: "1", Datasets: in("..")},
		"twins":            {Code: "1", Datasets: in("a.csv", "a.csv")},
		"control in name":  {Code: "1", Datasets: in("a\n.csv")},
		"too many":         {Code: "1", Datasets: make([]cellwall.Input, cellwall.MaxInputs+1)},
		"a long purpose":   {Code: "1", Purpose: strings.Repeat("x", 3000)},
		"less than empty":  {Code: "1", Datasets: []cellwall.Input{{Name: "a.csv", Size: -1}}},
		"name is no UTF-8": {Code: "1", Datasets: in("a\xff")},
	} {
		t.Run(name, func(t *testing.T) {
			h := &house{next: ok()}
			_, err := h.controller(t).Run(context.Background(), req)
			if cellwall.CodeOf(err) != cellwall.CodeBadRequest || h.next.ran || len(h.entries) != 0 {
				t.Errorf("err %v, ran %v, %d entries", err, h.next.ran, len(h.entries))
			}
		})
	}
}

func TestP15_AllInputsTogetherHaveALimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sparse.csv")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, cellwall.MiB); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := func(name string, size int64) cellwall.Input {
		return cellwall.Input{Name: name, FD: int(f.Fd()), Size: size}
	}
	for _, c := range []struct {
		name   string
		inputs []cellwall.Input
		want   cellwall.ErrorCode
	}{
		{"as much as there is room for", []cellwall.Input{in("a", cellwall.MiB), in("b", cellwall.MiB)}, ""},
		{"a byte more", []cellwall.Input{in("a", cellwall.MiB), in("b", cellwall.MiB), in("c", 1)}, cellwall.CodeTooLarge},
		{"a sum beyond an int64", []cellwall.Input{in("a", 1), in("b", math.MaxInt64)}, cellwall.CodeTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &house{next: ok()}
			req := cellwall.Request{Code: "1", Datasets: c.inputs, Limits: cellwall.Limits{InputBytes: 2 * cellwall.MiB}}
			_, err := h.controller(t).Run(context.Background(), req)
			if c.want == "" && err != nil || c.want != "" && (cellwall.CodeOf(err) != c.want || h.next.ran) {
				t.Errorf("%v, ran %v, want %q", err, h.next.ran, c.want)
			}
		})
	}
}

func TestRun_our_own_failures_are_errors_and_are_recorded(t *testing.T) {
	boom := errors.New("boom")
	for name, h := range map[string]*house{
		"environment": {next: ok(), envErr: boom},
		"claim":       {next: ok(), claimErr: boom},
		"bind":        {next: &script{bindErr: boom}},
		"run":         {next: &script{runErr: boom}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.controller(t).Run(context.Background(), cellwall.Request{Code: "1"})
			if !errors.Is(err, boom) {
				t.Fatalf("err %v", err)
			}
			e := h.entries[0]
			if e.Status != cellwall.StatusInternalError || !strings.Contains(e.Failure, "boom") {
				t.Errorf("entry %+v", e)
			}
			if claimed := name == "bind" || name == "run"; (h.destroyed == 1) != claimed {
				t.Errorf("destroyed %d", h.destroyed)
			}
		})
	}
}

func TestRun_another_sandbox_serves_when_the_first_one_died_unused(t *testing.T) {
	gone := fmt.Errorf("send code: %w", cellwall.ErrSandboxGone)
	for _, c := range []struct {
		name    string
		first   *script
		second  *script
		claimed int
		status  cellwall.Status
	}{
		{"at bind", &script{bindErr: gone}, ok(), 2, cellwall.StatusOK},
		{"at run", &script{runErr: gone}, ok(), 2, cellwall.StatusOK},
		{"both of them", &script{runErr: gone}, &script{runErr: gone}, 2, cellwall.StatusInternalError},
		{"after the code was sent", &script{runErr: errors.New("warden gone")}, ok(), 1, cellwall.StatusInternalError},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &house{next: c.first, then: c.second}
			r, err := h.controller(t).Run(context.Background(), cellwall.Request{Code: "1"})
			if (err == nil) != (c.status == cellwall.StatusOK) || err == nil && r.Status != c.status {
				t.Errorf("%+v, %v", r, err)
			}
			if h.destroyed != c.claimed || len(h.entries) != 1 || h.entries[0].Status != c.status {
				t.Errorf("destroyed %d, entries %+v", h.destroyed, h.entries)
			}
		})
	}
}

func TestRun_answers_nothing_without_a_record(t *testing.T) {
	h := &house{next: ok(), recordErr: errors.New("no space left on device")}
	r, err := h.controller(t).Run(context.Background(), cellwall.Request{Code: "1"})
	if r != nil || cellwall.CodeOf(err) != cellwall.CodeInternal || cellwall.HintOf(err) == "" || h.destroyed != 1 {
		t.Errorf("result %v err %v destroyed %d", r, err, h.destroyed)
	}
}

func TestRun_a_caller_that_goes_away_cancels(t *testing.T) {
	t.Run("context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		sb := ok()
		sb.wait = true
		sb.events = []cellwall.Event{out("so far")}
		h := &house{next: sb}
		r, err := h.controller(t).Stream(ctx, cellwall.Request{Code: "1"}, func(context.Context, cellwall.Event) error {
			cancel()
			return nil
		})
		assertCancelled(t, h, r, err)
	})
	t.Run("sink", func(t *testing.T) {
		sb := ok()
		sb.events = []cellwall.Event{out("so far"), out(", never")}
		h := &house{next: sb}
		r, err := h.controller(t).Stream(context.Background(), cellwall.Request{Code: "1"}, func(context.Context, cellwall.Event) error {
			return errors.New("connection reset")
		})
		assertCancelled(t, h, r, err)
	})
	t.Run("before the claim", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		h := &house{claimErr: context.Canceled}
		r, err := h.controller(t).Run(ctx, cellwall.Request{Code: "1"})
		if err != nil || r.Status != cellwall.StatusCancelled || h.entries[0].Status != cellwall.StatusCancelled {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

func assertCancelled(t *testing.T, h *house, r *cellwall.Result, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != cellwall.StatusCancelled || r.Cause != cellwall.CauseCancelled || r.Stdout.Text != "so far" {
		t.Errorf("status %s cause %s stdout %q", r.Status, r.Cause, r.Stdout.Text)
	}
	if h.harvested != 0 || h.destroyed != 1 || h.entries[0].Status != cellwall.StatusCancelled {
		t.Errorf("harvested %d destroyed %d entry %s", h.harvested, h.destroyed, h.entries[0].Status)
	}
}

func TestRun_a_limit_met_by_code_that_ended_ok_is_a_notice(t *testing.T) {
	sb := ok()
	sb.end.Cause, sb.end.Met = cellwall.CauseOOM, []cellwall.Cause{cellwall.CauseOOM, cellwall.CauseProcesses}
	h := &house{next: sb}
	r, err := h.controller(t).Run(context.Background(), cellwall.Request{Code: "1"})
	if err != nil || !r.OK || r.Cause != cellwall.CauseNone {
		t.Fatalf("%+v, %v", r, err)
	}
	n := h.evidence.Notices
	if len(n) != 2 || n[0].Code != "limit_met" || n[0].Args["limit"] != "memory" || n[1].Args["limit"] != "processes" {
		t.Errorf("notices %v", n)
	}
}

func TestRun_every_limit_that_was_met_is_told(t *testing.T) {
	sb := ok()
	sb.end = cellwall.End{
		Status: cellwall.StatusTimeout, Cause: cellwall.CauseDeadline, Met: []cellwall.Cause{cellwall.CauseProcesses},
	}
	h := &house{next: sb}
	if _, err := h.controller(t).Run(context.Background(), cellwall.Request{Code: "1"}); err != nil {
		t.Fatal(err)
	}
	if met := h.evidence.Met; len(met) != 1 || met[0] != cellwall.CauseProcesses {
		t.Errorf("limits met are %v", met)
	}
}

func TestRun_an_ok_end_carries_no_error_that_the_code_forged(t *testing.T) {
	sb := ok()
	sb.events = []cellwall.Event{{Kind: cellwall.EventError, Data: []byte(`{"type":"X"}`)}}
	h := &house{next: sb}
	r, err := h.controller(t).Run(context.Background(), cellwall.Request{Code: "1"})
	if err != nil || r.Error != nil {
		t.Errorf("%+v, %v", r.Error, err)
	}
}

func BenchmarkRun(b *testing.B) {
	h := &house{next: ok()}
	h.next.events = []cellwall.Event{out("hello\n"), {Kind: cellwall.EventDone}}
	c := h.controller(b)
	for b.Loop() {
		if _, err := c.Run(context.Background(), cellwall.Request{Code: "print('hello')"}); err != nil {
			b.Fatal(err)
		}
		h.entries = h.entries[:0]
	}
}
