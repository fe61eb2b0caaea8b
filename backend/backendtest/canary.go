package backendtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// canaryProcess is a process that has the token in its environment.
type canaryProcess struct {
	cmd   *exec.Cmd
	stdin io.Closer
}

// startCanary returns when the process stands. It ends with its parent.
func startCanary(token string) (*canaryProcess, error) {
	cmd := exec.Command("/proc/self/exe", "-test.run=^$")
	cmd.Env = []string{canaryVariable + "=" + token}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start canary: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start canary: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start canary: %w", err)
	}
	c := &canaryProcess{cmd: cmd, stdin: stdin}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if strings.TrimSpace(line) != "canary" {
		err = fmt.Errorf("start canary: it says %q (%w): TestMain has to call backendtest.Main", line, err)
		return nil, errors.Join(err, c.end())
	}
	return c, nil
}

func (c *canaryProcess) end() error {
	err := c.stdin.Close()
	c.cmd.Wait() //nolint:errcheck // how it ended says nothing: an attack may have killed it
	return err
}

// sleeping reports whether the process lives and is neither stopped nor dead.
func sleeping(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, found := strings.Cut(string(stat), ") ")
	return err == nil && found && strings.ContainsAny(rest[:1], "SRD")
}
