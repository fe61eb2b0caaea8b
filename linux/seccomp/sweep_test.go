package seccomp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cellwall/cellwall/internal/testkit"
)

// An answer is what one call of a sweep met: an error name or "ok", and what
// the supervisor counted for it. A call that held its caller has "hung", one
// that ended it the first word of what the caller's runtime said: the signal.
type answer struct {
	Answer  string
	Counted []Count
}

// childSweep makes calls and says each answer before it makes the next, so
// that its parent knows which call ended or held it.
func childSweep(filtered bool) error {
	probes, l, err := childStart(filtered)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	counted := map[string]int64{}
	for _, p := range probes {
		a := answer{Answer: p.call()}
		if l != nil {
			for _, c := range l.Counts() {
				if more := c.N - counted[c.Call]; more > 0 {
					a.Counted = append(a.Counted, Count{c.Call, more})
				}
				counted[c.Call] = c.N
			}
		}
		if err := out.Encode(a); err != nil {
			return err
		}
	}
	return nil
}

// sweepLive makes calls in disposable children: a call that ends or holds its
// child has that for an answer, and the next child goes on behind it. A child
// serves at most as many calls as a listener counts names.
func sweepLive(t *testing.T, mode string, probes []probe) []answer {
	t.Helper()
	var all []answer
	for len(all) < len(probes) {
		all = append(all, sweepOnce(t, mode, probes[len(all):min(len(all)+maxNames/2, len(probes))])...)
	}
	return all
}

// sweepOnce is one child of sweepLive.
func sweepOnce(t *testing.T, mode string, probes []probe) (got []answer) {
	t.Helper()
	in, err := json.Marshal(probes)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Scale(time.Minute)) // a guard against hanging
	defer cancel()
	cmd := childCommand(t, mode)
	var said strings.Builder
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(in)), &said
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer context.AfterFunc(ctx, func() { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) })()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatalf("read answer of child: %v: %q", err, lines.Bytes())
		}
		got = append(got, a)
	}
	ended := cmd.Wait()
	switch {
	case len(got) == len(probes):
	case len(got) == 0 && cmd.ProcessState.ExitCode() == 3:
		t.Fatalf("the child could not begin: %s", said.String())
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		got = append(got, answer{Answer: "hung"})
	default:
		signal, _, _ := strings.Cut(said.String(), ":")
		t.Logf("%s ended its child: %v, %s", probes[len(got)].Label, ended, signal)
		got = append(got, answer{Answer: signal})
	}
	return got
}

// notLive are the calls that are let through and would end, hold or double
// their caller. The simulator alone judges them: TestP16 does, and the corpus
// makes them all.
var notLive = []string{"exit", "exit_group", "fork", "vfork", "pause", "rt_sigreturn"}

// exempt are the calls that newer kernels take past every filter, whatever it
// says (seccomp_uprobe_exception, Linux 6.14 and 6.18), and what they answer
// there to everybody but the kernel's own trampoline: nothing is reached.
var exempt = map[string]string{"uretprobe": "SIGILL", "uprobe": "ENXIO"}

const bad = ^uint64(0)

// nativeSweep is every number with arguments of which none is a descriptor,
// an address, a size or a number that means anything, and every call with a
// condition once for each value that the condition knows.
func nativeSweep() (probes []probe) {
	for nr := range uint32(sweepEnd + 1) {
		name := Name(hostArch, nr)
		if slices.Contains(notLive, name) {
			continue
		}
		all := probe{Label: fmt.Sprintf("%d %s", nr, name), Number: nr, Args: [6]uint64{bad, bad, bad, bad, bad, bad}}
		probes = append(probes, all)
		c, ok := conditionOf(name)
		if !ok || name == "clone" { // a permitted clone is a second process
			continue
		}
		values := slices.Clone(c.values)
		for v := range c.names {
			values = append(values, v)
		}
		for _, v := range append(values, c.shell...) {
			one := all
			one.Args[c.arg] = uint64(v)
			one.Label += fmt.Sprintf(" argument %d = %#x", c.arg, v)
			probes = append(probes, one)
		}
	}
	return probes
}

// TestP16_TheKernelGivesEveryNumberItsVerdict sweeps the numbers with live
// calls. What is refused answers its own error, and is counted under its own
// name exactly when the supervisor refuses it; what is let through is not
// counted and answers what it answers without a filter.
func TestP16_TheKernelGivesEveryNumberItsVerdict(t *testing.T) {
	probes := nativeSweep()
	audit, _ := hostArch.audit()
	var free []probe // what may be called without a filter
	verdicts := make([]Action, len(probes))
	for i, p := range probes {
		verdicts[i] = reference(Profile{}, hostArch, call{audit: audit, number: p.Number, args: p.Args})
		if verdicts[i] == Allow {
			free = append(free, p)
		}
	}
	got, control := sweepLive(t, "sweep", probes), sweepLive(t, "sweep-control", free)
	tally := map[Action]int{}
	for i, p := range probes {
		have, verdict := got[i], verdicts[i]
		var want answer
		switch verdict {
		case Allow:
			want.Answer, control = control[0].Answer, control[1:]
			tally[Allow]++
		case Notify:
			name, errno := Refusal(hostArch, p.Number, p.Args)
			want = answer{unix.ErrnoName(errno), []Count{{name, 1}}}
			tally[Notify]++
		default:
			want.Answer = unix.ErrnoName(unix.Errno(verdict & unix.SECCOMP_RET_DATA))
			tally[verdict&unix.SECCOMP_RET_ACTION_FULL]++
		}
		if past := exempt[Name(hostArch, p.Number)]; past != "" && have.Answer == past && have.Counted == nil {
			t.Logf("%s: this kernel takes it past every filter and answers %s", p.Label, past)
			continue
		}
		if have.Answer != want.Answer || !slices.Equal(have.Counted, want.Counted) {
			t.Errorf("%s: %+v, want %+v (%v)", p.Label, have, want, verdict)
		}
	}
	t.Logf("%d live calls: %d let through, %d refused by the supervisor, %d by the filter; judged by the simulator alone: %v",
		len(probes), tally[Allow], tally[Notify], tally[Errno(0)], notLive)
}

// TestN47_NoForeignNumberGetsThrough makes every i386 call through int 0x80
// and every x32 one, those that would end their caller included.
func TestN47_NoForeignNumberGetsThrough(t *testing.T) {
	if hostArch != AMD64 {
		t.Skip("not measured, proof: a 64-bit program on arm64 has no instruction for a 32-bit call")
	}
	var probes []probe
	for nr := range uint32(sweepEnd + 1) {
		probes = append(probes,
			probe{Label: fmt.Sprintf("i386 %d", nr), Number: nr, Foreign: true},
			probe{Label: fmt.Sprintf("x32 %d", nr), Number: x32Bit | nr, Args: [6]uint64{bad, bad, bad, bad, bad, bad}})
	}
	for i, have := range sweepLive(t, "sweep", probes) {
		if have.Answer != "ENOSYS" || have.Counted != nil {
			t.Errorf("%s: %+v, want ENOSYS, uncounted", probes[i].Label, have)
		}
	}
	control := sweepLive(t, "sweep-control", []probe{
		{Label: "i386 getpid", Number: 20, Foreign: true}, {Label: "x32 getpid", Number: x32Bit | numberOf(t, "getpid")},
	})
	t.Logf("%d foreign calls; without the filter this kernel answers int 0x80 with %s and x32 with %s",
		len(probes), control[0].Answer, control[1].Answer)
}
