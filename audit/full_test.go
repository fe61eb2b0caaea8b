package audit_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cellwall/cellwall/audit"
)

func TestM35_AFullDiskStopsNewWorkAndNotTheRecordsOfWhatRuns(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CELLWALL_TEST_FULL_DISK="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{ // a disk of 4 MiB that nobody else sees
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// fillDisk is the child: it returns an exit status.
func fillDisk() int {
	dir := os.Getenv("CELLWALL_TEST_FULL_DISK")
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		fmt.Println("mount:", err)
		return 1
	}
	if err := onFullDisk(dir); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func onFullDisk(dir string) error {
	l, err := audit.Open(filepath.Join(dir, "records"))
	if err != nil {
		return err
	}
	defer l.Close()
	if err := l.Guard(1 << 20); err != nil {
		return err
	}
	record := func() error { return l.Append(noon, entry{V: 1, ID: "exec_x", Code: strings.Repeat("x", 50_000)}) }
	if err := record(); err != nil || l.Healthy() != nil {
		return fmt.Errorf("before: %w, %w", err, l.Healthy())
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 8<<20), 0o600); err == nil {
		return fmt.Errorf("the disk took 8 MiB of 4")
	}
	written := 1
	for ; written < 40; written++ {
		if err := record(); err != nil {
			break
		}
		if l.Healthy() == nil {
			return fmt.Errorf("new work may begin while the disk is full, after %d", written)
		}
	}
	if written < 10 || written == 40 {
		return fmt.Errorf("%d records on a full disk with a reserve for 20", written)
	}
	if r, err := audit.Verify(filepath.Join(dir, "records"), audit.VerifyOptions{}); err != nil || !r.OK() || len(r.Findings) != 0 || int(r.Records) != written {
		return fmt.Errorf("full: %+v, %w; want %d records", r, err, written)
	}
	if err := os.Remove(ballast); err != nil {
		return err
	}
	for end := time.Now().Add(20 * time.Second); l.Healthy() != nil; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("there is room again, and still: %w", l.Healthy())
		}
	}
	if err := record(); err != nil {
		return fmt.Errorf("there is room again: %w", err)
	}
	r, err := audit.Verify(filepath.Join(dir, "records"), audit.VerifyOptions{})
	if err != nil || !r.OK() || int(r.Records) != written+2 {
		return fmt.Errorf("after: %+v, %w; want %d records, one of them of the gap", r, err, written+2)
	}
	return nil
}
