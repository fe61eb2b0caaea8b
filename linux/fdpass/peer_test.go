package fdpass

import (
	"io"
	"os"
	"os/exec"
	"testing"
)

func TestPeerIsWhoSentAndNotWhoMadeTheSocket(t *testing.T) {
	mine, theirs, err := Pair()
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Close()
	if err := PassCredentials(mine); err != nil {
		t.Fatal(err)
	}
	if _, err := theirs.WriteString("a"); err != nil {
		t.Fatal(err)
	}
	in := NewReader(mine)
	if pid, ok := in.Peer(); ok {
		t.Fatalf("before anything was read the sender is %d", pid)
	}
	read(t, in, 1)
	if pid, _ := in.Peer(); pid != os.Getpid() {
		t.Errorf("what this process sent came from %d, want %d", pid, os.Getpid())
	}
	child := exec.Command("sh", "-c", "printf bc >&3")
	child.ExtraFiles = []*os.File{theirs}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	read(t, in, 2)
	if pid, ok := in.Peer(); !ok || pid != child.Process.Pid {
		t.Errorf("what the child sent came from %d, want %d", pid, child.Process.Pid)
	}
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
}

func TestPeerIsUnknownUnlessAskedFor(t *testing.T) {
	mine, theirs, err := Pair()
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Close()
	defer theirs.Close()
	if _, err := theirs.WriteString("a"); err != nil {
		t.Fatal(err)
	}
	in := NewReader(mine)
	read(t, in, 1)
	if pid, ok := in.Peer(); ok {
		t.Errorf("the sender is %d, and nobody asked for it", pid)
	}
}

func read(t *testing.T, from io.Reader, n int) {
	t.Helper()
	if _, err := io.ReadFull(from, make([]byte, n)); err != nil {
		t.Fatal(err)
	}
}
