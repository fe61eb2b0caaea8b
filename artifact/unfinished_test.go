package artifact

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// What a killed process was writing goes with the next start, however young it
// is; what another process is writing stays.
func TestM49_UnfinishedContentOfTheDeadGoesWithTheNextStart(t *testing.T) {
	dir := t.TempDir()
	living, err := OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer living.Close()
	kept := put(t, living, "x", "hello")
	content, writer := io.Pipe()
	put := make(chan error, 1)
	go func() {
		_, err := living.Put(t.Context(), content)
		put <- err
	}()
	if _, err := writer.Write([]byte("half")); err != nil { // returns when it was read
		t.Fatal(err)
	}
	dead := filepath.Join(dir, unfinished+"dead")
	if err := os.WriteFile(dead, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	next, err := OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if _, err := os.Stat(dead); err == nil {
		t.Error("what a dead process was writing is left")
	}
	if f, err := next.Open(kept); err != nil {
		t.Error(err)
	} else {
		f.Close()
	}
	writer.Close()
	if err := <-put; err != nil {
		t.Errorf("what a living process was writing is lost: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, unfinished+"*")); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
