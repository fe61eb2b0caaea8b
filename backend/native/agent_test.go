package native

import (
	"bytes"
	dbg "debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestAgentReapsAndStays runs the machine code for real: it must wait, and
// have told the kernel to reap its children.
func TestAgentReapsAndStays(t *testing.T) {
	code, err := agentBinary(runtime.GOARCH)
	if err != nil {
		t.Skipf("skip, proof: this program was built for %s: %v", runtime.GOARCH, err)
	}
	path := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(path, code, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	const sigchld = 1 << (17 - 1)
	status := filepath.Join("/proc", strconv.Itoa(cmd.Process.Pid), "status")
	for deadline := time.Now().Add(10 * time.Second); ignored(t, status)&sigchld == 0; {
		select {
		case err := <-ended:
			t.Fatalf("the agent ended by itself: %v", err)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatal("the agent does not ignore SIGCHLD: orphans would stay zombies")
		}
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the agent ended with %v, want a kill: it must sleep until then", err)
	}
}

func TestAgentIsAnExecutableForEachArchitecture(t *testing.T) {
	for arch, machine := range map[string]dbg.Machine{"amd64": dbg.EM_X86_64, "arm64": dbg.EM_AARCH64} {
		code, err := agentBinary(arch)
		if err != nil {
			t.Fatal(err)
		}
		if len(code) < 180 || len(code) > 210 { // docs/RATIONALE.md and docs/ARCHITECTURE.md say 190
			t.Errorf("%s: it has %d bytes, want about 190", arch, len(code))
		}
		file, err := dbg.NewFile(bytes.NewReader(code))
		if err != nil {
			t.Fatalf("%s: %v", arch, err)
		}
		if file.Machine != machine || file.Type != dbg.ET_EXEC || len(file.Progs) != 1 {
			t.Errorf("%s: %v", arch, file.FileHeader)
		}
		if flags := file.Progs[0].Flags; flags != dbg.PF_R|dbg.PF_X {
			t.Errorf("%s: the segment is %v, want readable and executable only", arch, flags)
		}
	}
	if _, err := agentBinary("riscv64"); err == nil {
		t.Error("an architecture without machine code got an agent")
	}
}

// ignored returns the mask of signals that a process ignores.
func ignored(t *testing.T, status string) uint64 {
	t.Helper()
	text, err := os.ReadFile(status)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if hex, ok := strings.CutPrefix(line, "SigIgn:\t"); ok {
			mask, err := strconv.ParseUint(strings.TrimSpace(hex), 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			return mask
		}
	}
	t.Fatal("no SigIgn in " + status)
	return 0
}
