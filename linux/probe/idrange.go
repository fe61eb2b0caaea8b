package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// errIDs marks that this user was given no range of ids.
var errIDs = errors.New("no range of ids")

// idMap waits until its input ends, by which time the parent has written the
// map, and tells how many ids it has.
func idMap() (string, error) {
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return "", fmt.Errorf("wait for map: %w", err)
	}
	text, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return "", fmt.Errorf("read map: %w", err)
	}
	total := 0
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return "", fmt.Errorf("read map: malformed line %q", line)
		}
		n, err := strconv.ParseUint(fields[2], 10, 32)
		if err != nil {
			return "", fmt.Errorf("read map: malformed line %q", line)
		}
		total += int(n)
	}
	if total < 2 {
		return "", fmt.Errorf("read map: it has %d ids", total)
	}
	return fmt.Sprintf("%d ids", total), nil
}

// tryIDRange maps ids other than our own: as root by the kernel itself,
// otherwise through newuidmap and the range in /etc/subuid.
func tryIDRange(ctx context.Context, opts Options) (string, error) {
	if len(opts.Self) == 0 {
		return "", errNoSelf
	}
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	if os.Geteuid() == 0 {
		return mapAsRoot(ctx, opts)
	}
	return mapByHelper(ctx, opts)
}

func mapAsRoot(ctx context.Context, opts Options) (string, error) {
	cmd := command(ctx, opts, unix.CLONE_NEWUSER, verbMap)
	wide := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}, {ContainerID: 1, HostID: 100_000, Size: 1000}}
	cmd.SysProcAttr.UidMappings, cmd.SysProcAttr.GidMappings = wide, wide
	var out bytes.Buffer
	cmd.Stdout = &out
	err := cmd.Run()
	return verdict(ctx, &out, err)
}

func mapByHelper(ctx context.Context, opts Options) (string, error) {
	helper, err := exec.LookPath("newuidmap")
	if err != nil {
		return "", fmt.Errorf("map ids: %w: %w", errIDs, err)
	}
	text, err := os.ReadFile("/etc/subuid")
	if err != nil {
		return "", fmt.Errorf("map ids: %w: %w", errIDs, err)
	}
	first, count, ok := subordinate(string(text), strconv.Itoa(os.Geteuid()), os.Getenv("USER"))
	if !ok {
		return "", fmt.Errorf("map ids: %w: /etc/subuid has none for uid %d", errIDs, os.Geteuid())
	}
	cmd := command(ctx, opts, unix.CLONE_NEWUSER, verbMap)
	cmd.SysProcAttr.UidMappings, cmd.SysProcAttr.GidMappings = nil, nil
	var out bytes.Buffer
	cmd.Stdout = &out
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", fmt.Errorf("map ids: %w: %w", errPassing, err)
	}
	if err := cmd.Start(); err != nil {
		in.Close()
		return verdict(ctx, &out, err)
	}
	said, mapErr := exec.CommandContext(ctx, helper, strconv.Itoa(cmd.Process.Pid),
		"0", strconv.Itoa(os.Geteuid()), "1", "1", first, count).CombinedOutput()
	in.Close()
	detail, err := verdict(ctx, &out, cmd.Wait())
	if mapErr != nil {
		return "", fmt.Errorf("map ids: %w: newuidmap: %w: %.200q", errIDs, mapErr, said)
	}
	return detail, err
}

// subordinate finds a user's first range in /etc/subuid, by number or name.
func subordinate(text, uid, name string) (first, count string, ok bool) {
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) != 3 || fields[0] == "" || fields[0] != uid && fields[0] != name {
			continue
		}
		_, err1 := strconv.ParseUint(fields[1], 10, 32)
		n, err2 := strconv.ParseUint(fields[2], 10, 32)
		if err1 == nil && err2 == nil && n > 0 {
			return fields[1], fields[2], true
		}
	}
	return "", "", false
}
