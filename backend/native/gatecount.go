package native

import (
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cellwall/cellwall/linux/cgroup"
)

// population is who is in a control group, by thread as this process counts.
type population struct {
	members map[int]standing
	whole   time.Time // when all of them were looked at
}

// standing is what the kernel says of a thread, in the sandbox's own numbers; 0
// where there is none.
type standing struct {
	thread, process int // which never change
	family          int // its group of processes
}

// fresh is how long a standing is believed while its thread is listed: host
// numbers come again, but not so soon.
const fresh = time.Second

// numbered reports whether somebody has the number.
func (p population) numbered(n int) bool {
	for _, s := range p.members {
		if s.thread == n || s.process == n {
			return true
		}
	}
	return false
}

// inFamily reports whether somebody is in the group of processes.
func (p population) inFamily(n int) bool {
	for _, s := range p.members {
		if s.family == n {
			return true
		}
	}
	return false
}

// headcount lists a control group and looks at who is new since the last count,
// or at everybody. Who ends meanwhile is not in it; when the group cannot be
// read nobody is.
func headcount(group *cgroup.Group, last population, everybody bool) population {
	now := population{members: map[int]standing{}, whole: last.whole}
	if everybody = everybody || time.Since(last.whole) > fresh; everybody {
		now.whole = time.Now()
	}
	tids, err := group.Threads()
	if err != nil {
		return now
	}
	for _, tid := range tids {
		if s, known := last.members[tid]; known && !everybody {
			now.members[tid] = s
			continue
		}
		if text, err := os.ReadFile("/proc/" + strconv.Itoa(tid) + "/status"); err == nil {
			now.members[tid] = standingOf(string(text))
		}
	}
	return now
}

func standingOf(status string) (s standing) {
	for line := range strings.Lines(status) {
		switch key, value, _ := strings.Cut(line, ":"); key {
		case "NSpid":
			s.thread = innermost(value)
		case "NStgid":
			s.process = innermost(value)
		case "NSpgid":
			s.family = innermost(value)
		}
	}
	return s
}

// innermost is the last of a list of numbers, that of the sandbox's namespace; 0
// when there is no other, or when it is that of somebody outside.
func innermost(list string) int {
	fields := strings.Fields(list)
	if len(fields) < 2 {
		return 0
	}
	n, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil {
		return 0
	}
	return n
}
