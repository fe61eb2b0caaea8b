package environment

import (
	"context"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program builds a program that is linked to the host's libc or, without cgo,
// to nothing, with its symbol tables.
func program(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	src := filepath.Join(dir, "main.go")
	must(t, os.WriteFile(src, []byte("package main\n\nfunc main() { print(\"alive\") }\n"), 0o644))
	out := filepath.Join(dir, "program.so")
	cmd := exec.Command("go", "build", "-o", out, src)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	return out
}

func TestStripCutsTablesAndTheProgramStillRuns(t *testing.T) {
	path := program(t)
	before, err := os.Stat(path)
	must(t, err)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	gone, err := stripTail(f)
	must(t, err)
	must(t, f.Close())
	after, err := os.Stat(path)
	must(t, err)
	if gone < 100_000 || before.Size()-after.Size() != gone {
		t.Errorf("%d bytes went, %d are left of %d", gone, after.Size(), before.Size())
	}
	text, err := exec.Command(path).CombinedOutput()
	if err != nil || string(text) != "alive" {
		t.Errorf("the stripped program says %q: %v", text, err)
	}
	f, err = os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	if again, err := stripTail(f); again != 0 || err != nil {
		t.Errorf("a second time %d bytes went: %v", again, err)
	}
	must(t, f.Close())
}

func TestStripLeavesOtherFilesAlone(t *testing.T) {
	for name, text := range map[string]string{"text": "GROUP ( libc.so.6 )", "empty": "", "half a header": "\x7fELF\x02\x01\x01"} {
		path := filepath.Join(t.TempDir(), "x.so")
		must(t, os.WriteFile(path, []byte(text), 0o644))
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		must(t, err)
		if n, err := stripTail(f); n != 0 || err != nil {
			t.Errorf("%s: %d bytes went: %v", name, n, err)
		}
		must(t, f.Close())
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%s: it is now %q: %v", name, got, err)
		}
	}
}

func TestClosureNamesTheMissingLibrary(t *testing.T) {
	shell, err := os.ReadFile("/bin/sh") // dynamically linked to libc on every host with apt
	must(t, err)
	dir, to := rootFor(t)
	must(t, to.file("usr/bin/x", true, strings.NewReader(string(shell))))
	check := func() error {
		m, err := readManifest(context.Background(), dir, false, nil)
		must(t, err)
		return checkClosure(to.root, m, "usr/lib/libs")
	}
	needs, err := needed(to.root, "usr/bin/x")
	must(t, err)
	if len(needs) == 0 {
		file, err := elf.Open("/bin/sh")
		must(t, err)
		defer file.Close()
		names, err := file.ImportedLibraries()
		if err != nil || len(names) > 0 {
			t.Fatalf("no library was found, yet /bin/sh needs %v, %v", names, err)
		}
		t.Skip("skip, proof: the dynamic section of this host's /bin/sh names no library")
	}
	if err := check(); err == nil || !strings.Contains(err.Error(), needs[0].name+" (of usr/bin/x)") {
		t.Errorf("error is %v, want one about %s", err, needs[0].name)
	}
	for _, n := range needs {
		must(t, to.file("usr/lib/libs/"+n.name, false, strings.NewReader("")))
	}
	if err := check(); err != nil {
		t.Errorf("with its libraries: %v", err)
	}
}
