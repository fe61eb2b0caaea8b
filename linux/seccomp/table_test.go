package seccomp

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func known(name string) bool {
	return slices.ContainsFunc(table, func(e entry) bool { return e.name == name })
}

// TestListsNameRealCallsOnce catches a misspelt name, which would be a silent
// refusal, and a name in two lists, of which one would be a lie.
func TestListsNameRealCallsOnce(t *testing.T) {
	lists := map[string]string{}
	see := func(list, name string) {
		if !known(name) {
			t.Errorf("%s lists %q, which no architecture has", list, name)
		}
		if other, twice := lists[name]; twice {
			t.Errorf("%q is listed as %s and as %s", name, other, list)
		}
		lists[name] = list
	}
	for _, name := range allowed {
		see("allowed", name)
	}
	for _, name := range dangerous {
		see("dangerous", name)
	}
	for _, q := range quiet {
		see("quiet", q.call)
	}
	for _, c := range conditions {
		see("condition", c.call)
	}
	t.Logf("%d allowed, %d with a condition, %d answered quietly, %d dangerous", len(allowed), len(conditions), len(quiet), len(dangerous))
}

// TestTableAgreesWithTheLibrary reads the numbers out of the source of
// golang.org/x/sys, for both architectures.
func TestTableAgreesWithTheLibrary(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		t.Fatalf("find golang.org/x/sys: %v", err)
	}
	for _, a := range []Arch{AMD64, ARM64} {
		want := librarySyscalls(t, filepath.Join(strings.TrimSpace(string(dir)), "unix", "zsysnum_linux_"+string(a)+".go"))
		if a == ARM64 {
			delete(want, "arch_specific_syscall") // the start of a range
		}
		got := map[string]int{}
		for _, e := range table {
			if n := a.number(e); n != absent {
				got[e.name] = n
			}
		}
		for name, n := range want {
			if have, ok := got[name]; !ok || have != n {
				t.Errorf("%s: %s is %d, the table says %d (%v)", a, name, n, have, ok)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: the table has %d calls, the library %d", a, len(got), len(want))
		}
	}
}

func librarySyscalls(t *testing.T, path string) map[string]int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	line := regexp.MustCompile(`^\s+SYS_(\w+)\s+=\s+(\d+)`)
	out := map[string]int{}
	for s := bufio.NewScanner(f); s.Scan(); {
		if m := line.FindStringSubmatch(s.Text()); m != nil {
			n, err := strconv.Atoi(m[2])
			if err != nil {
				t.Fatal(err)
			}
			out[strings.ToLower(m[1])] = n
		}
	}
	return out
}

func TestP24_RefusalsHaveNames(t *testing.T) {
	tests := []struct {
		nr   uint32
		args [6]uint64
		want string
	}{
		{321, [6]uint64{}, "bpf EPERM"},
		{425, [6]uint64{}, "io_uring_setup EPERM"},
		{41, [6]uint64{2}, "socket(AF_INET) EAFNOSUPPORT"},
		{41, [6]uint64{38}, "socket(AF_ALG) EAFNOSUPPORT"},
		{41, [6]uint64{99}, "socket(99) EAFNOSUPPORT"},
		{53, [6]uint64{40}, "socketpair(AF_VSOCK) EAFNOSUPPORT"},
		{16, [6]uint64{0, 0x5412}, "ioctl(TIOCSTI) ENOTTY"},
		{16, [6]uint64{0, 0x89abcdef}, "ioctl(0x89abcdef) ENOTTY"},
		{72, [6]uint64{0, 1024}, "fcntl(F_SETLEASE) EPERM"},
		{72, [6]uint64{0, 8}, "fcntl(F_SETOWN) EPERM"},
		{157, [6]uint64{35}, "prctl(PR_SET_MM) EINVAL"},
		{56, [6]uint64{0x10000000 | 17}, "clone(CLONE_NEWUSER) EPERM"},
		{56, [6]uint64{0x30000000}, "clone(CLONE_NEW*) EPERM"},
		{56, [6]uint64{0x8000 | 17}, "clone(CLONE_PARENT) EPERM"},
		{55, [6]uint64{3, 1, 77}, "getsockopt(SO_PEERPIDFD) ENOPROTOOPT"},
		{28, [6]uint64{0, 4096, 12}, "madvise(MADV_MERGEABLE) EINVAL"},
		{135, [6]uint64{0x40000}, "personality(0x40000) EPERM"},
		{133, [6]uint64{0, 0x2000}, "mknod(S_IFCHR) EPERM"},
		{44, [6]uint64{0, 0, 0, 1}, "sendto(MSG_OOB) ENOTSUP"},
		{253, [6]uint64{}, "inotify_init ENOSYS"},
		{555, [6]uint64{}, "syscall_555 ENOSYS"},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			name, errno := Refusal(AMD64, tt.nr, tt.args)
			if got := fmt.Sprintf("%s %s", name, unix.ErrnoName(errno)); got != tt.want {
				t.Errorf("got %q", got)
			}
		})
	}
}
