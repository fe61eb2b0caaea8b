package audit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall/audit"
)

type entry struct {
	V    int    `json:"v"`
	ID   string `json:"id"`
	Code string `json:"code"`
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, dir string) *audit.Log {
	t.Helper()
	l, err := audit.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func read(t *testing.T, dir string) (entries []entry, damaged int) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "2026-03-01.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	damaged, err = audit.Read(bytes.NewReader(raw), func(line []byte) error {
		var e entry
		entries = append(entries, e)
		return json.Unmarshal(line, &entries[len(entries)-1])
	})
	if err != nil {
		t.Fatal(err)
	}
	return entries, damaged
}

// TestMain also is the second process of the tests below: it appends and ends, or
// fills a disk of its own.
func TestMain(m *testing.M) {
	if os.Getenv("CELLWALL_TEST_FULL_DISK") != "" {
		os.Exit(fillDisk())
	}
	dir := os.Getenv("CELLWALL_TEST_APPEND_TO")
	if dir == "" {
		os.Exit(m.Run())
	}
	l, err := audit.Open(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for i := range 50 {
		if err := l.Append(noon, entry{V: 1, ID: fmt.Sprint(os.Getpid(), "-", i), Code: strings.Repeat("x", 20_000)}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func TestAppend_is_whole_when_goroutines_and_processes_write_at_once(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	var wg sync.WaitGroup
	for p := range 3 {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "CELLWALL_TEST_APPEND_TO="+dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
		wg.Go(func() {
			for i := range 50 {
				if err := l.Append(noon, entry{V: 1, ID: fmt.Sprint("own", p, "-", i), Code: "short\nlines"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	entries, damaged := read(t, dir)
	ids := map[string]bool{}
	for _, e := range entries {
		ids[e.ID] = true
	}
	if len(entries) != 300 || len(ids) != 300 || damaged != 0 {
		t.Errorf("%d entries, %d ids, %d damaged; want 300, 300, 0", len(entries), len(ids), damaged)
	}
}

func TestAppend_closes_a_line_that_a_killed_process_left_in_part(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	if err := l.Append(noon, entry{ID: "first"}); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "2026-03-01.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"v":1,"id":"torn`)
	f.Close()
	if _, damaged := read(t, dir); damaged != 1 {
		t.Errorf("%d damaged before the next append, want 1", damaged)
	}
	if err := l.Append(noon, entry{ID: "second"}); err != nil {
		t.Fatal(err)
	}
	entries, damaged := read(t, dir)
	if len(entries) != 2 || entries[1].ID != "second" || damaged != 1 {
		t.Errorf("%v, %d damaged", entries, damaged)
	}
}

func TestAppend_turns_the_file_at_midnight_UTC_and_keeps_it_private(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "records")
	l := open(t, dir)
	late := time.Date(2026, 3, 1, 23, 30, 0, 0, time.FixedZone("west", -3600)) // 00:30 UTC on the 2nd
	for _, at := range []time.Time{noon, late} {
		if err := l.Append(at, entry{ID: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"2026-03-01.jsonl", "2026-03-02.jsonl"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v", name, info.Mode())
		}
	}
}

func TestAppend_fails_on_a_full_disk(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/dev/full", filepath.Join(dir, "2026-03-01.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir).Append(noon, entry{ID: "x"}); err == nil {
		t.Error("Append() to a full device succeeded")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("{}\n{\"a\":1}\n{\"to"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		whole := 0
		damaged, err := audit.Read(bytes.NewReader(raw), func(line []byte) error {
			if !json.Valid(line) {
				t.Errorf("gave %q", line)
			}
			whole++
			return nil
		})
		lines := bytes.Count(raw, []byte("\n"))
		if len(raw) > 0 && raw[len(raw)-1] != '\n' {
			lines++
		}
		if err != nil || whole+damaged != lines {
			t.Errorf("%d whole + %d damaged of %d lines, err %v", whole, damaged, lines, err)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	l, err := audit.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	for b.Loop() {
		if err := l.Append(noon, entry{V: 1, ID: "exec_x", Code: "print(1)"}); err != nil {
			b.Fatal(err)
		}
	}
}
