package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// runHere runs the command line beside a service and returns what it printed.
func runHere(t *testing.T, state string, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"run"}, args...)...)
	cmd.Env = append(os.Environ(), "CELLWALL_TEST_AS=cellwall-fake", "CELLWALL_STATE_DIR="+state, "NO_COLOR=1")
	var out, said strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	_ = cmd.Run() // its status is looked at
	return out.String(), said.String(), cmd.ProcessState.ExitCode()
}

func TestRun_at_a_server_is_as_it_is_here(t *testing.T) {
	s := fakeService(t)
	at := "unix:" + filepath.Join(s.state, socketName)
	data, dir := filepath.Join(t.TempDir(), "a.csv"), filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(data, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, said, exit := runHere(t, t.TempDir(), "--server", at, "--data", data, "--out", dir, "-c", "out hello\nfile note.txt kept\npicture")
	if out != "hello" || exit != 0 || !strings.Contains(said, "ok in") {
		t.Errorf("exit %d, stdout %q, stderr %q", exit, out, said)
	}
	for name, want := range map[string]string{"note.txt": "kept", "figure_1.png": "\x89PNG\r\n\x1a\n"} {
		if raw, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(raw) != want {
			t.Errorf("%s: %q, %v", name, raw, err)
		}
	}
	if _, _, exit := runHere(t, t.TempDir(), "--server", at, "-c", "end error exception"); exit != 1 {
		t.Errorf("code that fails exits with %d", exit)
	}
	if _, said, exit := runHere(t, t.TempDir(), "--server", s.tcp, "-c", "out x"); exit != 3 || !strings.Contains(said, "key") {
		t.Errorf("without a key: exit %d, %q", exit, said)
	}
	if _, said, exit := runHere(t, t.TempDir(), "--server", at, "--env", "nope", "-c", "out x"); exit == 0 || !strings.Contains(said, "nope") {
		t.Errorf("an unknown environment: exit %d, %q", exit, said)
	}
}

func TestRun_an_interrupt_ends_what_runs_at_a_server(t *testing.T) {
	s := fakeService(t)
	cmd := exec.Command(os.Args[0], "run", "--json", "--server", "unix:"+filepath.Join(s.state, socketName), "-c", "wait")
	cmd.Env = append(os.Environ(), "CELLWALL_TEST_AS=cellwall-fake", "CELLWALL_STATE_DIR="+t.TempDir())
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.await("nothing runs", func() bool {
		_, text := call(t, s.local(), "GET", "http://local/metrics", "")
		return strings.Contains(text, "\ncellwall_queue_running 1\n")
	})
	time.Sleep(time.Second) // it hears that it runs, of which it says nothing
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its status is looked at
	var r cellwall.Result
	if err := json.Unmarshal([]byte(out.String()), &r); err != nil || cmd.ProcessState.ExitCode() != 130 || r.Status != cellwall.StatusCancelled {
		t.Errorf("exit %d, %v: %s", cmd.ProcessState.ExitCode(), err, out.String())
	}
	if !s.isWork(r.ID, `"status":"cancelled"`) {
		t.Error("the service keeps another end")
	}
}

func TestRun_at_a_server_sends_no_other_program(t *testing.T) {
	s := fakeService(t)
	program := filepath.Join(t.TempDir(), "latin.py")
	if err := os.WriteFile(program, []byte("out caf\xe9"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"--quiet", "--json"} {
		here, saidHere, exitHere := runHere(t, t.TempDir(), flag, program)
		out, said, exit := runHere(t, t.TempDir(), flag, "--server", "unix:"+filepath.Join(s.state, socketName), program)
		if exit != 3 || exitHere != 3 || said != saidHere || flag == "--json" && !sameBut(t, "id", here, out) {
			t.Errorf("%s: exit %d and %d here\n%s%s\nhere:\n%s%s", flag, exit, exitHere, said, out, saidHere, here)
		}
	}
}

// sameBut compares two documents without one of their keys.
func sameBut(t *testing.T, key string, a, b string) bool {
	t.Helper()
	var docs [2]map[string]any
	for i, text := range []string{a, b} {
		if err := json.Unmarshal([]byte(text), &docs[i]); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		delete(docs[i], key)
	}
	return reflect.DeepEqual(docs[0], docs[1])
}

func TestRun_at_a_server_ends_a_closed_pipe_quietly(t *testing.T) {
	s := fakeService(t)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	defer write.Close()
	cmd := exec.Command(os.Args[0], "run", "--server", "unix:"+filepath.Join(s.state, socketName), "-c", "out x")
	cmd.Env = append(os.Environ(), "CELLWALL_TEST_AS=cellwall-fake", "CELLWALL_STATE_DIR="+t.TempDir())
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = write, &said
	_ = cmd.Run() // its status is looked at
	if exit := cmd.ProcessState.ExitCode(); exit != 4 || said.Len() > 0 {
		t.Errorf("exit %d, %q", exit, said.String())
	}
}

func TestRun_uses_the_service_of_its_own_user(t *testing.T) {
	s := fakeService(t)
	kept := func() int {
		_, text := call(t, s.local(), "GET", "http://local/v1/executions", "")
		var list struct{ Items []struct{ ID string } }
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			t.Fatal(err)
		}
		return len(list.Items)
	}
	out, _, exit := runHere(t, s.state, "--json", "-c", "out hello")
	var r cellwall.Result
	if err := json.Unmarshal([]byte(out), &r); err != nil || exit != 0 || r.Stdout.Text != "hello" || kept() != 1 {
		t.Errorf("exit %d, %v, the service keeps %d: %s", exit, err, kept(), out)
	}
	if out, _, _ := runHere(t, s.state, "-c", `out \xff\x00`); out != "\xff\x00" || kept() != 1 {
		t.Errorf("into a pipe every byte counts: %q, the service keeps %d", out, kept())
	}
	if _, _, exit := runHere(t, s.state, "--json", "--allow-degraded", "-c", "out here"); exit != 0 || kept() != 1 {
		t.Errorf("what a service does not do runs here: exit %d, the service keeps %d", exit, kept())
	}
	s.end(9)
	if _, said, exit := runHere(t, s.state, "--json", "-c", "out hello"); exit != 0 {
		t.Errorf("beside the socket of a killed one: exit %d, %s", exit, said)
	}
}
