package native_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/cellwall/cellwall/backend/backendtest"
	"github.com/cellwall/cellwall/internal/testkit"
)

const (
	chaosRounds = "CELLWALL_CHAOS_ROUNDS"
	chaosSeed   = "CELLWALL_CHAOS_SEED" // of a run that is to be repeated
	chaosPlace  = "CELLWALL_CHAOS_PLACE"
	chaosBytes  = 64 << 20 // of the file system under the state directory
)

// The parts that are struck. A full disk is one of them.
var chaosTargets = []string{"controller", "warden", "zygote", "agent", "disk"}

// Whatever dies, at whatever moment, and when the disk is full: after the next
// start nothing of the dead is left – no process, no mount, no group, no file –
// and every answer that somebody was given is in the records.
func TestM49_NothingIsLeftAfterACrashAndNoAnswerIsLost(t *testing.T) {
	testkit.RequireRoot(t)
	if state := os.Getenv(chaosPlace); state != "" {
		chaosController(t, state)
		return
	}
	seed := uint64(0) // so that make test strikes the same blows every time
	if testkit.Long() {
		seed = uint64(time.Now().UnixNano())
	}
	if text := os.Getenv(chaosSeed); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", chaosSeed, err)
		}
	}
	if !testkit.InChild(t) {
		t.Setenv(chaosSeed, strconv.FormatUint(seed, 10))
		fmt.Printf("%s: %s=%d\n", t.Name(), chaosSeed, seed)
	}
	// Mount namespaces of its own keep the small file system out of the sight
	// of tests that run beside this one.
	testkit.RunInSubprocess(t, &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}, func(t *testing.T) {
		rounds := times(t, chaosRounds, 2)
		random := rand.New(rand.NewPCG(seed, 49))
		state := smallDisk(t)
		struck := map[string]int{}
		var answered []answer
		for n := range rounds {
			target := chaosTargets[(n+int(seed%uint64(len(chaosTargets))))%len(chaosTargets)]
			struck[target]++
			t.Run(fmt.Sprintf("%d-%s", n, target), func(t *testing.T) {
				answered = append(answered, chaosRound(t, random, state, target)...)
				nothingIsLeft(t, state, answered)
			})
			if t.Failed() {
				t.Fatalf("stopped after round %d; %s=%d repeats it", n, chaosSeed, seed)
			}
		}
		t.Logf("figures: %d rounds, struck %v, %d answers in the records; seed %d", rounds, struck, len(answered), seed)
	})
}

// smallDisk mounts the file system for the state directory.
func smallDisk(t *testing.T) string {
	t.Helper()
	state := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(state, 0o755); err != nil {
		t.Fatal(err)
	}
	openPath(t, filepath.Dir(state))
	if err := syscall.Mount("chaos", state, "tmpfs", 0, fmt.Sprintf("size=%d,mode=755", chaosBytes)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(state, 0); err != nil {
			t.Errorf("something still uses the state directory: %v", err)
		}
	})
	return state
}

// chaosRound starts a controller under load, strikes, and returns the answers
// that were given. Half the blows fall while it still starts.
func chaosRound(t *testing.T, random *rand.Rand, state, target string) []answer {
	c := startChaos(t, state)
	defer c.kill()
	if random.IntN(2) == 0 {
		c.await(t, 1)
	}
	time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond) // the random moment
	before := c.count()
	switch target {
	case "controller":
		c.kill()
	case "disk":
		empty := fillDisk(t, state)
		time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
		if random.IntN(2) == 0 {
			c.kill() // while it is full
		}
		empty()
	default:
		c.strike(t, target)
	}
	if !c.killed {
		c.await(t, 3) // it serves again, and still tells right from wrong
	}
	if random.IntN(2) == 0 {
		c.kill()
	}
	answers := c.end(t)
	for n, a := range answers {
		if !a.fits(n >= before && target != "controller") {
			t.Errorf("answer %d (%d before the blow) is %+v", n, before, a)
		}
	}
	return answers
}

// fillDisk leaves no byte below dir.
func fillDisk(t *testing.T, dir string) (empty func()) {
	t.Helper()
	filler, err := os.OpenFile(filepath.Join(dir, "filler"), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for size := 1 << 20; size > 0; size /= 16 {
		for err == nil {
			_, err = filler.Write(make([]byte, size))
		}
		err = nil
	}
	return func() {
		filler.Close()
		if err := os.Remove(filler.Name()); err != nil {
			t.Error(err)
		}
	}
}

// chaosController is the child: a controller with every room, under load until
// its input ends.
func chaosController(t *testing.T, state string) {
	b := openIn(t, state)
	defer func() {
		if err := b.Close(); err != nil {
			t.Errorf("close backend: %v", err)
		}
	}()
	t.Run("load", func(t *testing.T) { underLoad(t, backendtest.RoomsIn(t, b, basic(t), 2, state)) })
}
