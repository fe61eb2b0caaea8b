package controller

import (
	"context"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// A sink that never returns must not hold the caller, the sandbox or the
// record for ever.
func TestStream_a_sink_that_blocks_loses_its_run_only(t *testing.T) {
	sb := ok()
	sb.events = []cellwall.Event{out("first"), out("never")}
	h := &house{next: sb}
	c := h.controller(t)
	c.opts.SinkPatience = time.Millisecond
	release, heard := make(chan struct{}), make(chan string, 9)
	r, err := c.Stream(context.Background(), cellwall.Request{Code: "1"}, func(_ context.Context, e cellwall.Event) error {
		<-release
		heard <- string(e.Data)
		return nil
	})
	assertCancelledAfterFirst(t, h, r, err)
	sb.events[0].Data[0] = 'X' // the buffer is somebody else's by now
	close(release)
	if text := <-heard; text != "first" {
		t.Errorf("the sink was given %q and finds %q", "first", text)
	}
	select {
	case text := <-heard:
		t.Errorf("it heard %q after its run was cancelled", text)
	default:
	}
}

// The patience of an hour is none for a caller who has gone: the run ends with
// its context, whatever the sink does.
func TestStream_a_cancelled_run_waits_for_no_sink(t *testing.T) {
	sb := ok()
	sb.events = []cellwall.Event{out("first"), out("never")}
	h := &house{next: sb}
	c := h.controller(t)
	c.opts.SinkPatience = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	ended := make(chan func(), 1)
	go func() {
		r, err := c.Stream(ctx, cellwall.Request{Code: "1"}, func(context.Context, cellwall.Event) error {
			cancel()
			<-release
			return nil
		})
		ended <- func() { assertCancelledAfterFirst(t, h, r, err) }
	}()
	select {
	case judge := <-ended:
		judge()
	case <-time.After(testkit.Scale(20 * time.Second)):
		t.Fatal("the run waits for a sink that its caller has left")
	}
}

func assertCancelledAfterFirst(t *testing.T, h *house, r *cellwall.Result, err error) {
	t.Helper()
	if err != nil || r.Status != cellwall.StatusCancelled || r.Stdout.Text != "first" {
		t.Fatalf("%+v, %v", r, err)
	}
	if h.destroyed != 1 || len(h.entries) != 1 || h.entries[0].Status != cellwall.StatusCancelled {
		t.Errorf("destroyed %d, entries %+v", h.destroyed, h.entries)
	}
}

func TestStream_a_slow_sink_hears_everything_in_order(t *testing.T) {
	sb := ok()
	want := ""
	for _, text := range []string{"a", "b", "c", "d"} {
		sb.events, want = append(sb.events, out(text)), want+text
	}
	got := ""
	r, err := (&house{next: sb}).controller(t).Stream(context.Background(), cellwall.Request{Code: "1"}, func(_ context.Context, e cellwall.Event) error {
		time.Sleep(2 * time.Millisecond) // what slow means
		if e.Kind == cellwall.EventStdout {
			got += string(e.Data)
		}
		return nil
	})
	if err != nil || !r.OK || got != want {
		t.Errorf("heard %q, %+v, %v", got, r, err)
	}
}
