package backendtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cellwall/cellwall/abuse"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/pentest"
)

// cellMain is the first process of an outer cell.
func cellMain() error {
	const answerFD, leashFD = 3, 4
	syscall.CloseOnExec(answerFD)
	syscall.CloseOnExec(leashFD)
	answer := os.NewFile(answerFD, "answer")
	go func() {
		os.NewFile(leashFD, "leash").Read(make([]byte, 1)) //nolint:errcheck // its end is the message
		os.Exit(1)
	}()
	var spec cellSpec
	if err := json.NewDecoder(os.Stdin).Decode(&spec); err != nil {
		return fmt.Errorf("read spec: %w", err)
	}
	var report cellReport
	if err := show(spec, &report); err != nil {
		report.Failure = err.Error()
	}
	return json.NewEncoder(answer).Encode(report)
}

// show builds the outer cell and lets the attack loose in it.
func show(spec cellSpec, report *cellReport) error {
	hierarchy, err := hierarchyOptions("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	process, err := pentest.StartProcess(itself(), spec.World.Token) // while the test binary's libraries are there
	if err != nil {
		return err
	}
	if err := enterRoot(spec); err != nil {
		return errors.Join(err, process.End())
	}
	if err := errors.Join(syscall.Sethostname([]byte("outer")), plugIn(), serveNames()); err != nil {
		return errors.Join(err, process.End())
	}
	w, err := pentest.NewCanary(spec.World, process)
	if err != nil {
		return err
	}
	w.Timeout, w.Slow = int(spec.Limits.Timeout.Milliseconds()), testkit.Scale(time.Second).Seconds()
	w.Memory, w.Processes = spec.Limits.MemoryBytes, spec.Limits.Processes
	w.Hierarchy = hierarchy
	heedSignals(w)
	if err := prepare(spec, w.World); err != nil {
		return errors.Join(err, w.Close())
	}
	for range spec.Runs {
		if err := once(spec, w, report); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	report.Exhibit.Survivors = survivors(w.PID)
	report.Exhibit.World = w.World
	report.Exhibit.Files = collect(outputDir)
	report.Exhibit.Facts = w.Facts()
	return nil
}

// heedSignals makes a signal to the first process a contact: it plays the
// supervisor that an attack aims at.
func heedSignals(c *pentest.Canary) {
	got := make(chan os.Signal, 64)
	signal.Notify(got)
	go func() {
		for s := range got {
			switch s {
			case syscall.SIGCHLD, syscall.SIGURG, syscall.SIGPIPE, syscall.SIGWINCH:
			default:
				c.Note("signal " + s.String())
			}
		}
	}()
}

const (
	attackPath  = "/run/attack.py"
	harnessPath = "/run/harness.py"
	inputDir    = "/workspace/input"
	outputDir   = "/workspace/output"
)

// prepare writes the programs and the inputs.
func prepare(spec cellSpec, w abuse.World) error {
	attack := string(spec.Bare)
	if spec.Attack != "" {
		var err error
		if attack, err = abuse.Source(spec.Attack, w); err != nil {
			return err
		}
	}
	errs := []error{os.WriteFile(attackPath, []byte(attack), 0o644)}
	if spec.Harness != "" {
		harness, err := abuse.Source(spec.Harness, w)
		errs = append(errs, err, os.WriteFile(harnessPath, []byte(harness), 0o644))
	}
	// Names are resolved by the outer cell's own server.
	errs = append(errs,
		os.WriteFile("/etc/nsswitch.conf", []byte("hosts: files dns\n"), 0o644),
		os.WriteFile("/etc/resolv.conf", []byte("nameserver 127.0.0.1\n"), 0o644))
	for _, in := range spec.Inputs {
		errs = append(errs, os.WriteFile(filepath.Join(inputDir, in.Name), in.Data, 0o644))
	}
	return errors.Join(errs...)
}

// survivors counts the processes that live beside this one and the canary.
func survivors(canary int) int {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return -1
	}
	n := 0
	for _, e := range names {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == 1 || pid == canary {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		_, state, _ := strings.Cut(string(stat), ") ")
		if err == nil && !strings.HasPrefix(state, "Z") {
			n++
		}
	}
	return n
}
