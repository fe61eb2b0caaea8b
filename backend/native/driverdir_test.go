package native

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
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
	if driverName(newer, agent("amd64"), true) != driverName(newer, agent("amd64"), true) {
		t.Error("one driver has two names")
	}
}

func TestM49_HalfUnpackedDriversOfTheDeadAreSwept(t *testing.T) {
	state := t.TempDir()
	ours, theirs := take(t, state), take(t, state)
	b := &Backend{stateDir: state, instance: ours}
	parent := filepath.Join(state, "driver")
	dead := filepath.Join(parent, stagePrefix+strconv.Itoa(maxInstances-1)+".1")
	unnamed := filepath.Join(parent, stagePrefix+"273164") // as an older version wrote it
	living := filepath.Join(parent, stagePrefix+strconv.Itoa(theirs.slot)+".1")
	whole := filepath.Join(parent, "a-python3.13")
	for _, dir := range []string{dead, unnamed, living, whole} {
		if err := os.MkdirAll(filepath.Join(dir, "_cellwall"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	sweep := func() {
		if err := b.sweepStages(b.alive); err != nil {
			t.Fatal(err)
		}
	}
	sweep()
	for dir, want := range map[string]bool{dead: false, unnamed: false, living: true, whole: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", filepath.Base(dir), err == nil, want)
		}
	}
	theirs.close()
	sweep()
	if _, err := os.Stat(living); err == nil {
		t.Error("its writer has died, and it is left")
	}
}

func TestDriverIsStagedInTheNameOfItsController(t *testing.T) {
	if _, err := agentBinary(runtime.GOARCH); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	stop := errors.New("stop")
	var stage string
	b := &Backend{stateDir: state, instance: take(t, state), compile: func(_ context.Context, _ cellwall.Environment, dir string) error {
		stage = filepath.Base(dir)
		return stop
	}}
	if _, err := b.unpackDriver(t.Context(), cellwall.Environment{Interpreter: "/usr/bin/python3"}); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	if want, _ := filepath.Match(stagePrefix+strconv.Itoa(b.instance.slot)+".*", stage); !want {
		t.Errorf("it was staged as %s", stage)
	}
	if left, err := os.ReadDir(filepath.Join(state, "driver")); err != nil || len(left) != 0 {
		t.Errorf("a driver that could not be compiled left %v, %v", left, err)
	}
}
