package peer_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cellwall/cellwall/linux/peer"
)

// TestMain also is the other end of the tests below: it connects and waits for
// the end of the connection.
func TestMain(m *testing.M) {
	path := os.Getenv("CELLWALL_TEST_CONNECT_TO")
	if path == "" {
		os.Exit(m.Run())
	}
	conn, err := net.Dial("unix", path)
	if err != nil {
		os.Exit(1)
	}
	_, _ = conn.Read(make([]byte, 1))
}

func TestOfIsWhoConnected(t *testing.T) {
	dir, err := os.MkdirTemp("", "peer") // t.TempDir has no way in for another user
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, uid := range map[string]int{"the same user": os.Getuid(), "another user": 61234} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "CELLWALL_TEST_CONNECT_TO="+path)
			if uid != os.Getuid() {
				if os.Getuid() != 0 {
					t.Skip("this user cannot start a process of another one, proof: its uid is not 0")
				}
				reach(t, dir, path, cmd)
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Wait()
			conn, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			got, err := peer.Of(conn.(*net.UnixConn))
			if err != nil || got.UID != uid || got.PID != cmd.Process.Pid {
				t.Errorf("got %+v, %v; want uid %d, pid %d", got, err, uid, cmd.Process.Pid)
			}
		})
	}
}

// reach lets another user start the test binary and connect.
func reach(t *testing.T, dir, path string, cmd *exec.Cmd) {
	t.Helper()
	binary, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path = filepath.Join(dir, "other")
	if err := os.WriteFile(cmd.Path, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
}
