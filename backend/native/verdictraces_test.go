package native_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/native"
	"github.com/cellwall/cellwall/internal/testkit"
)

const verdictRepeats = "CELLWALL_VERDICT_REPEATS"

// ample is a deadline that no race comes near.
const ample = 2 * time.Minute

// races are programs that could be said to have ended in more than one way. Each
// has one end, by the precedence of cellwall.Status, whoever is faster.
var races = []struct {
	name   string
	code   string
	limits cellwall.Limits
	want   string
}{
	{
		"dies of itself with much memory",
		"import os\nb = bytearray(40 << 20)\nfor i in range(0, len(b), 4096): b[i] = 1\nos.kill(os.getpid(), 9)",
		cellwall.Limits{MemoryBytes: 192 * cellwall.MiB, Timeout: ample},
		"crashed signal:SIGKILL",
	},
	{
		"plays a killed one",
		"import os\nos._exit(137)",
		cellwall.Limits{Timeout: ample},
		"crashed exit:137",
	},
	{
		"loses a child for want of memory and kills itself",
		"import os\nif os.fork() == 0:\n    b = [bytearray(b'x' * (1 << 20)) for _ in range(1000)]\n    os._exit(0)\n" +
			"os.wait()\nos.kill(os.getpid(), 9)",
		cellwall.Limits{MemoryBytes: 128 * cellwall.MiB, Timeout: ample},
		"memory_limit oom_kill",
	},
	{
		"loses a child for want of memory and makes it good",
		"import os\nif os.fork() == 0:\n    b = [bytearray(b'x' * (1 << 20)) for _ in range(1000)]\n    os._exit(0)\n" +
			"os.wait()\nprint('well')",
		cellwall.Limits{MemoryBytes: 128 * cellwall.MiB, Timeout: ample},
		"memory_limit oom_kill",
	},
	{
		"loses a child for want of memory and waits for ever",
		"import os, time\nif os.fork() == 0:\n    b = [bytearray(b'x' * (1 << 20)) for _ in range(1000)]\nwhile True: time.sleep(1)",
		cellwall.Limits{MemoryBytes: 128 * cellwall.MiB, Timeout: ample},
		"memory_limit oom_kill",
	},
	{
		"computes and floods",
		"import os, threading\ndef hog():\n    while True: pass\nthreading.Thread(target=hog, daemon=True).start()\n" +
			"while True: os.write(1, b'x' * 65536)",
		cellwall.Limits{OutputBytes: 4 * cellwall.MiB, Timeout: ample},
		"output_limit output",
	},
	{
		"forks without end and eats memory",
		"import os\nblocks = []\nwhile True:\n    try: os.fork()\n    except OSError: pass\n    blocks.append(bytearray(b'x' * (1 << 20)))",
		cellwall.Limits{MemoryBytes: 128 * cellwall.MiB, Processes: 32, Timeout: ample},
		"memory_limit oom_kill",
	},
	{
		"dies while it writes a result",
		"import os\nos.write(3, b'\\x00\\x00\\x10\\x00V' + b'{' * 99)\nos.kill(os.getpid(), 11)",
		cellwall.Limits{Timeout: ample},
		"crashed signal:SIGSEGV",
	},
	{
		"is killed while it shows a large result",
		"import os, threading, time\nclass Large:\n    def _repr_html_(self):\n" +
			"        threading.Thread(target=lambda: (time.sleep(0.01), os.kill(os.getpid(), 9))).start()\n        return 'x' * (1 << 20)\n" +
			"while True: display(Large())",
		cellwall.Limits{Timeout: ample},
		"crashed signal:SIGKILL",
	},
	{
		"feeds a child that does not read",
		"import subprocess, sys\nc = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(99)'], stdin=subprocess.PIPE)\n" +
			"c.communicate(b'x' * (4 << 20))",
		cellwall.Limits{Timeout: time.Second},
		"timeout deadline",
	},
	{
		"sends a frame, a byte a second",
		"import os, time\nfor b in b'\\x00\\x00\\x10\\x00V' + b' ' * 4096:\n    os.write(3, bytes([b]))\n    time.sleep(1)",
		cellwall.Limits{Timeout: 1500 * time.Millisecond},
		"timeout deadline",
	},
}

// Each race ends the same way every time, while eight of them run at once.
func TestVerdict_IsTheSameEveryTimeWhoeverIsFaster(t *testing.T) {
	testkit.RequireRoot(t)
	const lanes = 8
	b := open(t)
	repeats := times(t, verdictRepeats, 1)
	work := make(chan int)
	ends := make([]map[string]int, len(races))
	for n := range ends {
		ends[n] = map[string]int{}
	}
	var mu sync.Mutex // guards ends
	var running sync.WaitGroup
	for range lanes {
		running.Go(func() {
			for n := range work {
				end := raceOnce(t.Context(), b, basic(t), n)
				mu.Lock()
				ends[n][end]++
				mu.Unlock()
			}
		})
	}
	for range repeats {
		for n := range races {
			work <- n
		}
	}
	close(work)
	running.Wait()
	for n, r := range races {
		t.Logf("figures: %s: %v", r.name, ends[n])
		if got := slices.Collect(maps.Keys(ends[n])); len(got) != 1 || got[0] != r.want {
			t.Errorf("%s: ended %v, want %q each time", r.name, ends[n], r.want)
		}
	}
}

// raceOnce returns status and cause, or what went wrong with us.
func raceOnce(ctx context.Context, b *native.Backend, env cellwall.Environment, n int) string {
	limits := races[n].limits.WithDefaults()
	limits.Timeout = testkit.Scale(limits.Timeout)
	s, err := b.Open(ctx, cellwall.Spec{Environment: env, Limits: limits})
	if err != nil {
		return err.Error()
	}
	run := cellwall.Code{Execution: cellwall.NewID(cellwall.PrefixExecution), Source: races[n].code}
	end, err := s.Run(ctx, run, func(context.Context, cellwall.Event) error { return nil })
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s", end.Status, end.Cause))
}
