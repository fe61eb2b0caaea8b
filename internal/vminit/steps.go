package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/cellwall/cellwall/internal/delegate"
)

const planFile = "/guest/plan.json"

// plan is what the host wants done.
type plan struct {
	Environment string            // where the environment's root is mounted
	Files       map[string]string // copied before the first step: to → from
	Steps       []step
}

// step is one command. It runs as root, unless it says otherwise.
type step struct {
	Name      string
	Args      []string
	Env       []string
	Dir       string
	Delegated bool // as an ordinary user in a control group of his own
	Seconds   int  // then it is killed
}

// ordinary is the user of a delegated step.
const ordinary = 1000

func readPlan(file string) (plan, error) {
	var p plan
	raw, err := os.ReadFile(file)
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return p, fmt.Errorf("read plan: %w", err)
	}
	return p, nil
}

// takeSteps takes every step, whatever became of the one before.
func takeSteps() error {
	p, err := readPlan(planFile)
	if err != nil {
		return err
	}
	for _, s := range p.Steps {
		say("begin %s", s.Name)
		began := time.Now()
		code, err := s.take()
		if err != nil {
			return fmt.Errorf("step %s: %w", s.Name, err)
		}
		say("end %s %d %.1f", s.Name, code, time.Since(began).Seconds())
	}
	return nil
}

func (s step) take() (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(s.Seconds)*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.Args[0], s.Args[1:]...)
	cmd.Dir, cmd.Env = s.Dir, append(os.Environ(), s.Env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if s.Delegated {
		group, err := delegate.Group("/sys/fs/cgroup/delegated", ordinary)
		if err != nil {
			return 0, err
		}
		defer group.Close()
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Credential: &syscall.Credential{Uid: ordinary, Gid: ordinary}, UseCgroupFD: true, CgroupFD: int(group.Fd()),
		}
	}
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}
