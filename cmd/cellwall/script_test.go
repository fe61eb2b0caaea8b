package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/environment"
	"github.com/cellwall/cellwall/environments"
)

// TestMain makes the test binary be the real program, hidden verbs included
// (they start /proc/self/exe), and twins of it over a scripted backend.
func TestMain(m *testing.M) {
	if child, ok := hidden()[verb(os.Args)]; ok {
		os.Exit(child(os.Args[2:]))
	}
	over := func(b scripted) func() {
		return func() {
			p := newProgram()
			p.backends = map[string]makeBackend{
				"native": func(backendOptions) (cellwall.Backend, error) { return b, nil },
			}
			os.Exit(p.main(os.Args[1:]))
		}
	}
	programs := map[string]func(){
		"cellwall":      main,
		"cellwall-fake": over(scripted{usable: true}),
		"cellwall-weak": over(scripted{usable: false}),
	}
	if run := programs[os.Getenv("CELLWALL_TEST_AS")]; run != nil {
		run()
	}
	testscript.Main(m, programs)
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setupScript,
		Condition:           func(c string) (bool, error) { return scriptCondition(t, c) },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"rate":  rate,
		},
	})
}

// setupScript gives each script a state directory of its own, in which the
// scripted backends find an environment, and the real one when it is built.
func setupScript(env *testscript.Env) error {
	state := filepath.Join(env.WorkDir, "state")
	env.Setenv("CELLWALL_STATE_DIR", state)
	env.Setenv("NO_COLOR", "1")
	cases, err := filepath.Abs("../../testdata/cases")
	if err != nil {
		return err
	}
	env.Setenv("CASES", cases)
	env.Setenv("EXAMPLE", filepath.Join(cases, "../../examples/session/orders_zh.ipynb"))
	if built, err := builtState(); err == nil {
		env.Setenv("BUILT", built)
	}
	return fakeState(state)
}

// fakeState puts the environment of the scripted backends into a state directory.
func fakeState(state string) error {
	const digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	dir := filepath.Join(state, "environments")
	if err := os.MkdirAll(filepath.Join(dir, "roots", "sha256-"+digest, "root"), 0o755); err != nil {
		return err
	}
	record := fmt.Sprintf(`{"v":1,"name":"python-data-basic","digest":"sha256:%s","interpreter":"/usr/bin/python3.13","packages":[{"name":"pandas","version":"3.1.1"}]}`, digest)
	return os.WriteFile(filepath.Join(dir, "python-data-basic.json"), []byte(record), 0o644)
}

// scriptCondition knows [built]: python-data-basic stands in the state
// directory that the tests were started with.
func scriptCondition(t *testing.T, name string) (bool, error) {
	if name != "built" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	_, err := builtState()
	if err != nil {
		t.Logf("runs in real sandboxes are left out: %v", err)
	}
	return err == nil, nil
}

// builtState returns the state directory in which the environment stands.
func builtState() (string, error) {
	c := config{StateDir: os.Getenv("CELLWALL_STATE_DIR")}
	if err := c.validate(); err != nil {
		return "", err
	}
	_, err := environment.Open(c.StateDir, environments.FS).Show(defaultEnvironment)
	return c.StateDir, err
}

// linkEnvironments has what is built stand in another state directory as well.
func linkEnvironments(t testing.TB, state string) {
	t.Helper()
	built, err := builtState()
	if err != nil {
		t.Skipf("python-data-basic does not stand in the state directory, proof: %v", err)
	}
	if err := os.Symlink(filepath.Join(built, "environments"), filepath.Join(state, "environments")); err != nil {
		t.Fatal(err)
	}
}

// exits runs a command and wants this very exit status: "exits 2 cellwall run".
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}
