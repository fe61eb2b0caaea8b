package load

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Generator is a child that carries out orders. It is for one goroutine.
type Generator struct {
	cmd     *exec.Cmd
	orders  io.WriteCloser
	answers *bufio.Reader
}

// Start starts argv, a command line whose program calls [Child]. The child ends
// with ctx, with Close, and with this process.
func Start(ctx context.Context, argv []string, env []string) (*Generator, error) {
	g := &Generator{cmd: exec.CommandContext(ctx, argv[0], argv[1:]...)}
	g.cmd.Env, g.cmd.Stderr, g.cmd.WaitDelay = env, os.Stderr, 5*time.Second
	out, err := g.cmd.StdoutPipe()
	if err == nil {
		g.orders, err = g.cmd.StdinPipe()
	}
	if err == nil {
		err = g.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start load generator: %w", err)
	}
	g.answers = bufio.NewReader(out)
	return g, nil
}

// Run has the child carry out an order, and returns what it saw, a stream each.
func (g *Generator) Run(order Order) ([]Saw, error) {
	if err := json.NewEncoder(g.orders).Encode(order); err != nil {
		return nil, fmt.Errorf("order load: %w", err)
	}
	line, err := g.answers.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("hear of load: %w", err)
	}
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		return nil, fmt.Errorf("hear of load: %w", err)
	}
	if a.Error != "" {
		return nil, errors.New(a.Error)
	}
	return a.Saw, nil
}

// Close ends the child.
func (g *Generator) Close() error {
	g.orders.Close()
	return g.cmd.Wait()
}
