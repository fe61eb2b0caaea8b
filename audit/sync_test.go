package audit_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A disk that takes lines and keeps none: no sync can open the file.
func TestM35_AFailedSyncStopsNewWorkUntilOneSucceeds(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	last := time.Date(9999, 3, 1, 12, 0, 0, 0, time.UTC) // what Healthy appends goes there, too
	record := func() {
		t.Helper()
		if err := l.Append(last, entry{V: 1, ID: "exec_x"}); err != nil {
			t.Fatal(err)
		}
	}
	until := func(healthy bool) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); (l.Healthy() == nil) != healthy; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("healthy is not %v: %v", healthy, l.Healthy())
			}
		}
	}
	record()
	path := filepath.Join(dir, "9999-03-01.jsonl")
	if err := os.Rename(path, path+".kept"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, path); err != nil {
		t.Fatal(err)
	}
	record()
	until(false)
	for end := time.Now().Add(1500 * time.Millisecond); time.Now().Before(end); time.Sleep(time.Millisecond) { // it tries once or twice
		if l.Healthy() == nil {
			t.Fatal("new work may begin, and what is recorded of it reaches no disk")
		}
	}
	if err := os.Rename(path+".kept", path); err != nil {
		t.Fatal(err)
	}
	until(true)
	record()
}
