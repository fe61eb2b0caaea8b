package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// notebookFile writes a notebook of these cells.
func notebookFile(t *testing.T, cells ...string) string {
	t.Helper()
	doc := map[string]any{"nbformat": 4, "nbformat_minor": 4, "metadata": map[string]any{}}
	var list []any
	for _, source := range cells {
		list = append(list, map[string]any{"cell_type": "code", "execution_count": nil, "metadata": map[string]any{}, "outputs": []any{}, "source": source})
	}
	doc["cells"] = list
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "n.ipynb")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func readText(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// A notebook runs at a service as it runs here, and leaves nothing there.
func TestRun_a_notebook_at_a_server_is_as_it_is_here(t *testing.T) {
	s := realService(t)
	at := "unix:" + filepath.Join(s.state, socketName)
	data, dir := filepath.Join(t.TempDir(), "销售.csv"), filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(data, []byte("x,y\n1,2\n3,4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n := notebookFile(
		t, "total = int(df.x.sum())\nprint('from a cell')", "total", "plt.plot([1, 2]); plt.show()",
		"open('left.txt', 'w').write('kept')", "print('before'); {}['no such']", "never = 1",
	)
	_, said, exit := runHere(t, t.TempDir(), "--server", at, "--data", data, "--out", dir, n)
	if exit != 1 || !strings.Contains(said, "cell 5 error in ") || strings.Contains(said, "cell 6") {
		t.Errorf("exit %d: %s", exit, said)
	}
	text := readText(t, n)
	for _, want := range []string{"from a cell", `"execute_result"`, `"image/png"`, `"ename": "KeyError"`, `before`, `"execution_count": 5`, `"session": "sess_`} {
		if !strings.Contains(text, want) {
			t.Errorf("the notebook lacks %s: %.3000s", want, text)
		}
	}
	if kept := readText(t, filepath.Join(dir, "left.txt")); kept != "kept" {
		t.Errorf("the artifact is %q", kept)
	}
	for _, list := range []string{"/v1/sessions", "/v1/datasets"} {
		if _, text := call(t, s.local(), "GET", "http://local"+list, ""); !strings.Contains(text, `"items":[]`) {
			t.Errorf("left behind at %s: %s", list, text)
		}
	}
	if _, said, exit := runHere(t, t.TempDir(), "--server", at, "--max-cells", "1", n); exit != 2 || !strings.Contains(said, "the server's to say") {
		t.Errorf("a budget of one's own: exit %d: %s", exit, said)
	}
	if _, said, exit := runHere(t, t.TempDir(), "--server", at, "--env", "nope", n); exit == 0 || !strings.Contains(said, "nope") {
		t.Errorf("an unknown environment: exit %d: %s", exit, said)
	}
}

// Ctrl-C interrupts the cell at the service, and what was done is written.
func TestRun_a_notebook_at_a_server_is_interrupted_there(t *testing.T) {
	s := realService(t)
	n := notebookFile(t, "print('done before')", "import time\ntime.sleep(60)", "never = 1")
	cmd := exec.Command(os.Args[0], "run", "--server", "unix:"+filepath.Join(s.state, socketName), "--timeout", "100s", n)
	cmd.Env = append(os.Environ(), "CELLWALL_TEST_AS=cellwall", "CELLWALL_STATE_DIR="+t.TempDir(), "NO_COLOR=1")
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.await("the second cell does not run", func() bool {
		_, text, err := tryCall(s.local(), "GET", "http://local/v1/sessions", "")
		return err == nil && strings.Contains(text, `"state":"running"`) && strings.Contains(text, `"executions":1`)
	})
	began := time.Now()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its status is looked at
	if exit := cmd.ProcessState.ExitCode(); exit != exitInterrupted || time.Since(began) > 20*time.Second {
		t.Errorf("exit %d after %s: %s", exit, time.Since(began), said.String())
	}
	if text := readText(t, n); !strings.Contains(text, "done before") || !strings.Contains(text, "KeyboardInterrupt") {
		t.Errorf("%s", text)
	}
	if _, text := call(t, s.local(), "GET", "http://local/v1/sessions", ""); !strings.Contains(text, `"items":[]`) {
		t.Errorf("left behind: %s", text)
	}
}
