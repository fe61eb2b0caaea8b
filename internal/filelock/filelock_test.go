package filelock

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestALockIsOneHoldersUntilItIsClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := Open(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, 0o600); !errors.Is(err, ErrHeld) {
		t.Errorf("a second one got %v, want ErrHeld", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := Open(path, 0o600)
	if err != nil {
		t.Fatalf("after the first one's end: %v", err)
	}
	defer second.Close()
	if _, err := Open(path+"/below", 0o600); err == nil || errors.Is(err, ErrHeld) {
		t.Errorf("below a file: %v", err)
	}
}

func TestHeldTellsWhetherSomebodyHoldsALockAndTakesNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	look := func(want bool) {
		t.Helper()
		if held, err := Held(path); held != want || err != nil {
			t.Errorf("%v, %v, want %v", held, err, want)
		}
	}
	look(false) // there is no file, and none is made
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the look made it: %v", err)
	}
	f, err := Open(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	look(true)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	look(false)
	if f, err = Open(path, 0o600); err != nil {
		t.Fatalf("the look holds it: %v", err)
	}
	f.Close()
}

func TestTakeWaitsForTheRelease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := Open(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	taken := make(chan error)
	go func() { taken <- Take(second) }()
	if err := Release(first); err != nil {
		t.Fatal(err)
	}
	if err := <-taken; err != nil {
		t.Fatal(err)
	}
	if err := Try(first); !errors.Is(err, ErrHeld) {
		t.Errorf("the first one got it back beside the second: %v", err)
	}
}

func TestAFileThatIsClosedCannotBeLocked(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "lock"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var at *fs.PathError
	if err := Try(f); !errors.As(err, &at) || errors.Is(err, ErrHeld) {
		t.Errorf("got %v", err)
	}
}
