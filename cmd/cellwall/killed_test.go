package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall/audit"
)

// TestM49_AServiceThatIsKilledLosesNothingThatItAnswered kills a service under
// load, again and again: CELLWALL_TEST_KILLS says how often, CELLWALL_TEST_SEED
// repeats the moments.
func TestM49_AServiceThatIsKilledLosesNothingThatItAnswered(t *testing.T) {
	state := realState(t)
	kills, seed := 3, rand.Uint64()
	if n, err := strconv.Atoi(os.Getenv("CELLWALL_TEST_KILLS")); err == nil {
		kills = n
	}
	if n, err := strconv.ParseUint(os.Getenv("CELLWALL_TEST_SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("CELLWALL_TEST_SEED=%d", seed)
	l := newCrowd(t, rand.New(rand.NewPCG(seed, 1)))
	for range kills {
		l.killOnce(state)
	}
	s := l.serve(state)
	l.finish(s)
	l.checkAnswers(s)
	events := l.eventsOf(s)
	if code := s.end(15); code != 0 {
		t.Errorf("it ended with %d", code)
	}
	checkKilled(t, l.asked, state)
	l.checkEvents(events, state)
	checkNothingLeft(t, state)
	if len(l.asked.ids) == 0 || len(l.behind.ids) == 0 || len(l.sessions) == 0 || len(l.uploads) == 0 || len(l.heard) == 0 {
		t.Error("the kills met no load of some kind")
	}
	t.Logf("%d kills: %d answers, %d left behind, %d cells in %d sessions, %d uploads, %d events, %d told by webhook",
		kills, len(l.asked.ids), len(l.behind.ids), len(l.cells), len(l.sessions), len(l.uploads), len(events), len(l.heard))
}

// realState is a state directory with the built environment.
func realState(t *testing.T) string {
	t.Helper()
	state := shortDir(t)
	if err := os.Chmod(state, 0o755); err != nil { // sandboxes of other users than root's pass through it
		t.Fatal(err)
	}
	linkEnvironments(t, state)
	return state
}

// killOnce starts a service, has clients ask it, and kills it.
func (l *crowd) killOnce(state string) {
	l.t.Helper()
	s := l.serve(state)
	if r, err := audit.Verify(filepath.Join(state, "records"), audit.VerifyOptions{}); err != nil || !r.OK() {
		l.t.Errorf("the chain after a kill: %+v, %v", r.Findings, err)
	}
	var clients sync.WaitGroup
	for _, ask := range l.clients() {
		clients.Go(func() {
			for ask(s) {
			}
		})
	}
	time.Sleep(200*time.Millisecond + time.Duration(l.random.Int64N(int64(2*time.Second))))
	family := descendants(s.cmd.Process.Pid)
	if len(family) == 0 {
		l.t.Error("the service has no children: an orphan could not be seen")
	}
	s.end(9)
	clients.Wait()
	s.await("processes of a killed service live on", func() bool {
		return !slices.ContainsFunc(family, alive)
	})
}

// checkKilled holds the records to what was answered.
func checkKilled(t *testing.T, a *asked, state string) {
	t.Helper()
	records := filepath.Join(state, "records")
	r, err := audit.Verify(records, audit.VerifyOptions{})
	if err != nil || !r.OK() {
		t.Errorf("the chain: %+v, %v", r.Findings, err)
	}
	log, err := audit.Open(records)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	ran := map[string][]string{} // by key: ids of its records
	if err := log.Each(time.Time{}, func(line []byte) error {
		var e struct{ ID, Code, Refusal string }
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		if key, ok := keyOfCode(e.Code); ok && e.Refusal == "" { // a refused one is asked for again
			ran[key] = append(ran[key], e.ID)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for key, id := range a.ids {
		if !slices.Equal(ran[key], []string{id}) {
			t.Errorf("%s was answered as %s and recorded as %v", key, id, ran[key])
		}
	}
}
