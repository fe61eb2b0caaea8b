package stream

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

// tell gives the buffer events as the controller does.
func tell(t *testing.T, b *Buffer, events ...cellwall.Event) {
	t.Helper()
	for _, e := range events {
		if err := b.Sink(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

func out(text string) cellwall.Event {
	return cellwall.Event{Kind: cellwall.EventStdout, Data: []byte(text)}
}

// drain reads what is there and behind it to the end.
func drain(t *testing.T, r Reader) (events []Event) {
	t.Helper()
	defer r.Close()
	for {
		more, err := r.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return events
		}
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, more...)
	}
}

func spell(events []Event) (lines []string) {
	for _, e := range events {
		lines = append(lines, fmt.Sprintf("%d %s %s", e.ID, e.Kind, e.Data))
	}
	return lines
}

func TestM52_AStreamTellsARunInTheWordsOfTheSurface(t *testing.T) {
	b := NewBuffer(Options{})
	tell(t, b,
		cellwall.Event{Kind: cellwall.EventStarted, Execution: "exec_a"},
		out("caf\xc3"), out("\xa9 \xe4\xb8"), out("\xad\n"),
		cellwall.Event{Kind: cellwall.EventStderr, Data: []byte("half \xe4\xb8")},
		cellwall.Event{Kind: cellwall.EventDatasets, Data: []byte(`[]`)},
		cellwall.Event{Kind: cellwall.EventResult, Rich: &cellwall.Rich{IsMainResult: true, Data: map[string]json.RawMessage{"text/plain": []byte(`"1"`)}}},
		cellwall.Event{Kind: cellwall.EventArtifact, Data: []byte(`{"id":"art_a"}`)},
	)
	result := &cellwall.Result{ID: "exec_a", Warnings: []string{"slow"}}
	if err := b.Done(result); err != nil {
		t.Fatal(err)
	}
	tell(t, b, out("after the end"))
	whole, _ := json.Marshal(result)
	want := []string{
		`1 started {"id":"exec_a"}`, `2 stdout {"text":"caf"}`, `3 stdout {"text":"é "}`, `4 stdout {"text":"中\n"}`, `5 stderr {"text":"half "}`,
		`6 result {"is_main_result":true,"data":{"text/plain":"1"}}`, `7 artifact {"id":"art_a"}`,
		`8 stderr {"text":"\ufffd\ufffd"}`, `9 warning {"message":"slow"}`, `10 done ` + string(whole),
	}
	if got := spell(drain(t, b.Reader(0))); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := spell(drain(t, b.Reader(7))); !slices.Equal(got, want[7:]) {
		t.Errorf("behind 7: %q", got)
	}
}

func TestM52_AProgramWaitsForItsReaderAndLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBuffer(Options{Each: 100})
		r := b.Reader(0)
		defer r.Close()
		wrote := make(chan int, 100)
		go func() {
			defer close(wrote)
			for i := range 50 {
				tell(t, b, out(strings.Repeat("x", 20)))
				wrote <- i
			}
			_ = b.Done(&cellwall.Result{})
		}()
		synctest.Wait()
		if n := len(wrote); n == 0 || n > 5 {
			t.Errorf("%d events were told before anybody read", n)
		}
		ids := uint64(0)
		for {
			events, err := r.Next(t.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			for _, e := range events {
				if ids++; e.ID != ids {
					t.Fatalf("event %d comes as number %d", e.ID, ids)
				}
			}
			time.Sleep(time.Second)
		}
		if ids != 51 {
			t.Errorf("%d events", ids)
		}
	})
}

func TestM52_AReaderThatStandsStillIsLetGoAndHearsWhatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBuffer(Options{Each: 100, Patience: 5 * time.Second})
		stuck := b.Reader(0)
		defer stuck.Close()
		began := time.Now()
		for range 50 {
			tell(t, b, out(strings.Repeat("x", 20)))
		}
		if d := time.Since(began); d != 5*time.Second {
			t.Errorf("the program was held up for %v", d)
		}
		if _, err := stuck.Next(t.Context()); !errors.Is(err, errLate) {
			t.Errorf("the reader hears %v", err)
		}
		_ = b.Done(&cellwall.Result{})
		got := spell(drain(t, b.Reader(0)))
		if want := `47 warning {"message":"47 events are gone; the result holds what is kept of the output"}`; got[0] != want || len(got) != 5 {
			t.Errorf("on its return it hears %q", got)
		}
		if n := b.bytes; n > 100+len(`{}`)+2000 {
			t.Errorf("%d bytes are held", n)
		}
	})
}

func TestM52_WithoutAReaderNothingWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBuffer(Options{Each: 1000})
		began := time.Now()
		for range 1000 {
			tell(t, b, out(strings.Repeat("x", 100)))
		}
		if d := time.Since(began); d != 0 || b.bytes > 1000 {
			t.Errorf("%v, %d bytes", d, b.bytes)
		}
	})
}

func TestM52_HeartbeatsComeWhileNothingHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBuffer(Options{})
		w := httptest.NewRecorder()
		served := make(chan error, 1)
		go func() { served <- Serve(t.Context(), w, b, 0) }()
		time.Sleep(11 * time.Second)
		tell(t, b, out("x"))
		time.Sleep(6 * time.Second)
		_ = b.Done(&cellwall.Result{})
		if err := <-served; err != nil {
			t.Fatal(err)
		}
		body, beat := w.Body.String(), ": \n\n"
		if !strings.HasPrefix(body, beat+beat+"id: 1\nevent: stdout\ndata: {\"text\":\"x\"}\n\n"+beat+"id: 2\nevent: done\n") {
			t.Errorf("%q", body)
		}
		if got := w.Header().Get("Content-Type"); got != "text/event-stream" {
			t.Errorf("content type %q", got)
		}
	})
}

func TestM52_AClientResumesOverHTTP(t *testing.T) {
	b := NewBuffer(Options{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		after, err := After(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = Serve(r.Context(), w, b, after)
	}))
	defer srv.Close()
	get := func(last string) *http.Response {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL, nil)
		if last != "" {
			req.Header.Set("Last-Event-ID", last)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	tell(t, b, out("one"), out("two"))
	res := get("")
	in := bufio.NewScanner(res.Body)
	for in.Scan() && in.Text() != "id: 2" {
	}
	res.Body.Close() // it goes away before the end
	tell(t, b, out("three"))
	_ = b.Done(&cellwall.Result{})
	res = get("2")
	rest, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if s := string(rest); !strings.HasPrefix(s, "id: 3\nevent: stdout\ndata: {\"text\":\"three\"}\n\nid: 4\nevent: done\n") {
		t.Errorf("behind 2: %q", s)
	}
	for last, want := range map[string]int{"4": 204, "400": 204, "x": 400, "-1": 400, "1 2": 400} {
		res := get(last)
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("behind %q: %d, want %d", last, res.StatusCode, want)
		}
	}
}

func TestM52_AClientThatGoesAwayEndsItsServing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBuffer(Options{Each: 10})
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- Serve(ctx, httptest.NewRecorder(), b, 0) }()
		synctest.Wait()
		cancel()
		if err := <-served; err != nil || len(b.readers) != 0 {
			t.Errorf("%v, %d readers", err, len(b.readers))
		}
	})
}

func FuzzEventIsOneEvent(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, "{\n\"a\":\r1}", "x\n\nevent: done\ndata: {}\n\n", "\r", ""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		line := string(Event{ID: 7, Kind: "stdout", Data: data}.append(nil))
		rest, ok := strings.CutPrefix(line, "id: 7\nevent: stdout\ndata: ")
		rest, whole := strings.CutSuffix(rest, "\n\n")
		if !ok || !whole || strings.ContainsAny(rest, "\r\n") {
			t.Errorf("%q", line)
		}
	})
}
