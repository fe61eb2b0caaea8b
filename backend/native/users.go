package native

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// What it takes to give a range of users away, and mounts to a process that is
// not root here.
var rightsOfRoot = []struct {
	name string
	bit  uint
}{{"CAP_SETGID", 6}, {"CAP_SETUID", 7}, {"CAP_SYS_ADMIN", 21}}

// canGiveUsers says why sandboxes cannot get users of their own, numbered from
// first on; nil when they can. Being root is not enough: a container's root has
// neither every right nor every id.
func canGiveUsers(first int) error {
	if os.Geteuid() != 0 {
		return errors.New("not root")
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return fmt.Errorf("read rights: %w", err)
	}
	_, rest, _ := strings.Cut(string(status), "\nCapEff:")
	line, _, _ := strings.Cut(rest, "\n")
	held, err := strconv.ParseUint(strings.TrimSpace(line), 16, 64)
	if err != nil {
		return fmt.Errorf("read rights: %w", err)
	}
	for _, right := range rightsOfRoot {
		if held&(1<<right.bit) == 0 {
			return fmt.Errorf("root without %s", right.name)
		}
	}
	for _, file := range []string{"/proc/self/uid_map", "/proc/self/gid_map"} {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read range of ids: %w", err)
		}
		if !covers(string(text), first, uidRange) {
			return fmt.Errorf("the user namespace around this process lacks the ids %d to %d", first, first+uidRange-1)
		}
	}
	return nil
}

// covers reports whether one line of an id map holds the whole range.
func covers(idMap string, first, size int) bool {
	for line := range strings.Lines(idMap) {
		var inside, outside, count int
		n, err := fmt.Sscan(line, &inside, &outside, &count)
		if n == 3 && err == nil && inside <= first && first+size <= inside+count {
			return true
		}
	}
	return false
}
