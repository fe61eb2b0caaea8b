package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall/audit"
)

// asked is what the clients of a service that is killed have asked for.
type asked struct {
	mu      sync.Mutex
	waiting []string          // idempotency keys without an answer
	ids     map[string]string // of answered ones: key → execution
	next    int
}

func (a *asked) take() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.waiting); n > 0 {
		key := a.waiting[n-1]
		a.waiting = a.waiting[:n-1]
		return key
	}
	a.next++
	return fmt.Sprintf("key-%d-", a.next)
}

func (a *asked) put(key, id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if id == "" {
		a.waiting = append(a.waiting, key)
		return
	}
	a.ids[key] = id
}

// ask sends one request and notes what came of it. It is false when the service
// is gone.
func (a *asked) ask(t *testing.T, s *served) bool {
	key := a.take()
	status, text, err := tryCall(s.local(), "POST", "http://local/v1/executions", execution("print('"+key+"')"), "Idempotency-Key", key)
	if err != nil {
		a.put(key, "")
		return false
	}
	if status != 200 {
		t.Errorf("%s: %d %s", key, status, text)
		a.put(key, "")
		return false
	}
	var r struct {
		ID     string
		Stdout struct{ Text string }
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil || r.Stdout.Text != key+"\n" {
		t.Errorf("%s: %v, answered %s", key, err, text)
	}
	a.put(key, r.ID)
	return true
}

// TestM49_AServiceThatIsKilledLosesNothingThatItAnswered kills a service under
// load, again and again; CELLWALL_TEST_KILLS says how often.
func TestM49_AServiceThatIsKilledLosesNothingThatItAnswered(t *testing.T) {
	built, err := builtState()
	if err != nil {
		t.Skipf("python-data-basic does not stand in the state directory, proof: %v", err)
	}
	state := shortDir(t)
	if err := os.Chmod(state, 0o755); err != nil { // sandboxes of other users than root's pass through it
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(built, "environments"), filepath.Join(state, "environments")); err != nil {
		t.Fatal(err)
	}
	kills := 3
	if n, err := strconv.Atoi(os.Getenv("CELLWALL_TEST_KILLS")); err == nil {
		kills = n
	}
	a := &asked{ids: map[string]string{}}
	for range kills {
		killUnderLoad(t, a, state)
	}
	s := serveIn(t, "cellwall", state).ready()
	for len(a.waiting) > 0 && !t.Failed() {
		a.ask(t, s)
	}
	for key, id := range a.ids { // an answer is given again, whoever gave it first
		if status, text := call(t, s.local(), "GET", "http://local/v1/executions/"+id, ""); status != 200 || !strings.Contains(text, key) {
			t.Errorf("%s: %d %s", key, status, text)
		}
	}
	if code := s.end(15); code != 0 {
		t.Errorf("it ended with %d", code)
	}
	checkKilled(t, a, state)
	t.Logf("%d kills, %d answers", kills, len(a.ids))
}

// killUnderLoad starts a service, has clients ask it, and kills it.
func killUnderLoad(t *testing.T, a *asked, state string) {
	t.Helper()
	s := serveIn(t, "cellwall", state).ready()
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for a.ask(t, s) {
			}
		})
	}
	time.Sleep(200*time.Millisecond + rand.N(1200*time.Millisecond))
	family := descendants(s.cmd.Process.Pid)
	if len(family) == 0 {
		t.Error("the service has no children: an orphan could not be seen")
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
		var e struct{ ID, Code string }
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		if key, ok := strings.CutPrefix(e.Code, "print('"); ok {
			key = strings.TrimSuffix(key, "')")
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

// process is one, whoever has its number later.
type process struct {
	pid   int
	began string
}

// livingProcesses lists every process with its parent.
func livingProcesses() map[process]int {
	all := map[process]int{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, began, ok := statOf(pid); ok {
			all[process{pid, began}] = parent
		}
	}
	return all
}

func statOf(pid int) (parent int, began string, ok bool) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, "", false
	}
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" {
		return 0, "", false
	}
	parent, err = strconv.Atoi(fields[1])
	return parent, fields[19], err == nil
}

// descendants are the processes below pid.
func descendants(pid int) (list []process) {
	all := livingProcesses()
	below := map[int]bool{pid: true}
	for grown := true; grown; {
		grown = false
		for p, parent := range all {
			if below[parent] && !below[p.pid] {
				below[p.pid], grown = true, true
				list = append(list, p)
			}
		}
	}
	return list
}

func alive(p process) bool {
	_, began, ok := statOf(p.pid)
	return ok && began == p.began
}
