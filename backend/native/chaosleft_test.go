package native_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/backendtest"
	"github.com/cellwall/cellwall/backend/native"
	"github.com/cellwall/cellwall/internal/testkit"
)

// mayStay are the files that a state directory keeps.
var mayStay = regexp.MustCompile(`^(run/\d+/lock|records/([\d-]+\.jsonl|head)|artifacts/[0-9a-f]{64}|driver/[0-9a-f]{64}-python[\d.]+/.*)$`)

// nothingIsLeft starts anew, at once and once more when the last processes of
// the dead have gone: a fork that was under way may hold a lock for some
// milliseconds longer than its parent. Then it looks for what the dead left.
func nothingIsLeft(t *testing.T, state string, answered []answer) {
	t.Helper()
	for range 2 {
		b := openIn(t, state)
		waitForNone(t, "processes", func() []string { return strangersOn(t, state) })
		// Before it is closed, for that removes whatever is in its own groups.
		waitForNone(t, "groups of sandboxes", func() []string { return groupsOf(native.InstanceName(b)) })
		closeBackend(t, b)
	}
	b := openIn(t, state)
	s := backendtest.RoomsIn(t, b, basic(t), 0, state)
	closeBackend(t, b)
	home := strings.TrimRight(native.InstanceName(b), "0123456789")
	for _, base := range []string{"/sys/fs/cgroup/cellwall/", "/sys/fs/cgroup/*/cellwall/"} {
		if groups, err := filepath.Glob(base + home + "*"); err != nil || len(groups) > 0 {
			t.Errorf("after %s these groups are left: %v, %v", native.InstanceName(b), groups, err)
		}
	}
	for _, name := range filesBelow(t, state) {
		if !mayStay.MatchString(name) {
			t.Errorf("a file is left: %s", name)
		}
	}
	areRecorded(t, s, state, answered)
}

func closeBackend(t *testing.T, b *native.Backend) {
	t.Helper()
	if err := b.Close(); err != nil {
		t.Errorf("close backend: %v", err)
	}
}

// waitForNone waits until there is none of what look finds.
func waitForNone(t *testing.T, what string, look func() []string) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		left := look()
		if len(left) == 0 {
			return
		}
		if time.Since(began) > testkit.Scale(20*time.Second) {
			t.Errorf("%s are left: %v", what, left)
			return
		}
	}
}

// strangersOn are the other processes that see the file system of dir: in the
// mount namespaces of wardens its driver is mounted.
func strangersOn(t *testing.T, dir string) []string {
	t.Helper()
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	device := info.Sys().(*syscall.Stat_t).Dev
	mark := fmt.Sprintf(" %d:%d ", device>>8&0xfff, device&0xff|device>>12&0xfff00)
	var found []string
	tables, _ := filepath.Glob("/proc/[0-9]*/mountinfo") // the pattern is well formed
	for _, file := range tables {
		if strings.Contains(file, "/"+strconv.Itoa(os.Getpid())+"/") {
			continue
		}
		if table, err := os.ReadFile(file); err == nil && strings.Contains(string(table), mark) {
			name, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			found = append(found, filepath.Dir(file)+" "+string(bytes.ReplaceAll(name, []byte{0}, []byte(" "))))
		}
	}
	return found
}

func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			path, err = filepath.Rel(dir, path)
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// areRecorded looks each answer up in the records, and its artifacts in the
// store.
func areRecorded(t *testing.T, s backendtest.Setup, state string, answered []answer) {
	t.Helper()
	recorded := map[string][]cellwall.Status{}
	files, err := filepath.Glob(filepath.Join(state, "records", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var entry struct {
				ID     string          `json:"id"`
				Status cellwall.Status `json:"status"`
			}
			if json.Unmarshal(line, &entry) == nil { // a line in part is nobody's answer
				recorded[entry.ID] = append(recorded[entry.ID], entry.Status)
			}
		}
	}
	for _, a := range answered {
		if a.Failure != "" {
			continue
		}
		if got := recorded[a.ID]; !slices.Equal(got, []cellwall.Status{a.Status}) {
			t.Errorf("answered %s with %s, and the records say %v", a.ID, a.Status, got)
		}
		for _, kept := range a.Artifacts {
			if err := isKept(s, kept); err != nil {
				t.Errorf("answered %s with artifact %s: %v", a.ID, kept.Name, err)
			}
		}
	}
}

func isKept(s backendtest.Setup, a cellwall.Artifact) error {
	content, err := s.Artifact(a)
	if err != nil {
		return err
	}
	defer content.Close()
	_, err = io.Copy(io.Discard, content)
	return err
}
