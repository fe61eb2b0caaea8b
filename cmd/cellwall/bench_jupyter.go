package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// kernel is a live Jupyter kernel, kept by a command that reads a program per
// line, as JSON, and answers with how many milliseconds it took as a cell.
type kernel struct {
	cmd     *exec.Cmd
	ask     io.WriteCloser
	answers *bufio.Scanner
}

// startKernel returns when the kernel is ready.
func startKernel(ctx context.Context, command string) (*kernel, error) {
	k := &kernel{cmd: exec.CommandContext(ctx, command)}
	k.cmd.Stderr = os.Stderr
	k.cmd.WaitDelay = 10 * time.Second
	out, err := k.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if k.ask, err = k.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := k.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start kernel: %w", err)
	}
	k.answers = bufio.NewScanner(out)
	if _, err := k.answer(); err != nil {
		return nil, errors.Join(fmt.Errorf("start kernel: %w", err), k.close())
	}
	return k, nil
}

// cell runs a program and returns how long it took.
func (k *kernel) cell(program string) (time.Duration, error) {
	line, err := json.Marshal(program)
	if err != nil {
		return 0, err
	}
	if _, err := k.ask.Write(append(line, '\n')); err != nil {
		return 0, fmt.Errorf("ask kernel: %w", err)
	}
	return k.answer()
}

func (k *kernel) answer() (time.Duration, error) {
	if !k.answers.Scan() {
		return 0, errors.Join(errors.New("the kernel's command has ended"), k.answers.Err())
	}
	took, err := strconv.ParseFloat(strings.TrimSpace(k.answers.Text()), 64)
	if err != nil {
		return 0, fmt.Errorf("hear kernel: %w", err)
	}
	return time.Duration(took * float64(time.Millisecond)), nil
}

// close lets the command end the kernel and itself.
func (k *kernel) close() error {
	k.ask.Close()
	return k.cmd.Wait()
}
