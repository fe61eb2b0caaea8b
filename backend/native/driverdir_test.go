package native

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestDriverDirectoryIsNamedByAllThatIsInIt(t *testing.T) {
	agent := func(arch string) []byte {
		code, err := agentBinary(arch)
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	older, newer := cellwall.Environment{Interpreter: "/usr/bin/python3.12"}, cellwall.Environment{Interpreter: "/usr/bin/python3.13"}
	names := map[string]bool{}
	for _, name := range []string{
		driverName(newer, agent("amd64"), true), driverName(newer, agent("arm64"), true),
		driverName(newer, append(agent("amd64"), 0), true), driverName(newer, agent("amd64"), false),
		driverName(older, agent("amd64"), true),
	} {
		names[name] = true
	}
	if len(names) != 5 {
		t.Errorf("5 different drivers have %d names: %v", len(names), names)
	}
	if first, again := driverName(newer, agent("amd64"), true), driverName(newer, agent("amd64"), true); first != again {
		t.Error("one driver has two names")
	}
}

func TestM49_DriverIsStagedInTheSlotOfItsController(t *testing.T) {
	if _, err := agentBinary(runtime.GOARCH); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	stop := errors.New("stop")
	var stage string
	b := &Backend{stateDir: state, instance: take(t, state), compile: func(_ context.Context, _ cellwall.Environment, dir string) error {
		stage = filepath.Dir(dir)
		return stop
	}}
	if _, err := b.unpackDriver(t.Context(), cellwall.Environment{Interpreter: "/usr/bin/python3"}); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	if stage != b.instance.dir {
		t.Errorf("it was staged in %s", stage)
	}
	if left, err := os.ReadDir(stage); err != nil || len(left) != 1 || left[0].Name() != lockName {
		t.Errorf("a driver that could not be compiled left %v, %v", left, err)
	}
	if left, err := os.ReadDir(filepath.Join(state, "driver")); err != nil || len(left) != 0 {
		t.Errorf("a driver that could not be compiled left %v, %v", left, err)
	}
}
