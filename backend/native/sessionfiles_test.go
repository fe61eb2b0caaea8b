package native_test

import (
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/linux/cgroup"
)

// firstFiles is a cell that leaves files and descriptors of them.
const firstFiles = `
import os, numpy as np
os.mkdir('d')
open('kept.csv', 'w').write('a,b\n1,2\n')
open('d/deleted.txt', 'w').write('here')
log = open('log.txt', 'w+')
log.write('one\n'); log.flush()
m = np.memmap('m.dat', dtype='u1', mode='w+', shape=8192)
m[:] = 1
os.chdir('d')`

// spoil does to them what a cell that dies half way may do.
const spoil = `
with open('../kept.csv', 'w') as f: f.write('a,b\n1,')
os.remove('deleted.txt')
os.rename('../d', '../e')
log.write('two\n'); log.flush()
m[:] = 2
open('../half.bin', 'wb').write(b'x' * 100000)
os.symlink('/etc/passwd', '../link')
os._exit(7)`

func TestM40_ACellThatDiedLeavesNoHalfWrittenFile(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{})
	filesGoBack(n)
	n.says(firstFiles, "")
	code := n.code(spoil)
	code.KeepFiles = true
	got := n.run(t.Context(), code)
	if got.Restored == nil || got.Restored.Files {
		t.Fatalf("restored %+v, want that the files were kept", got.Restored)
	}
	n.says("print(sorted(os.listdir('/workspace/output')), open('/workspace/output/kept.csv').read())",
		`['e', 'half.bin', 'kept.csv', 'link', 'log.txt', 'm.dat'] a,b
1,`)
}

// filesGoBack leaves an empty workspace.
func filesGoBack(n *notebook) {
	n.t.Helper()
	n.says(firstFiles, "")
	for range 3 {
		got := n.cell(spoil)
		if got.Restored == nil || !got.Restored.Files {
			n.t.Fatalf("restored %+v, want the files too", got.Restored)
		}
		for _, lost := range got.Restored.Lost {
			if lost.Code == cellwall.LostFiles {
				n.t.Errorf("lost %v", lost.Args)
			}
		}
		n.says("print(sorted(os.listdir('..')), sorted(os.listdir('.')))", "['d', 'kept.csv', 'log.txt', 'm.dat'] ['deleted.txt']")
		n.says("print(repr(open('../kept.csv').read()), open('deleted.txt').read())", `'a,b\n1,2\n' here`)
		n.says("log.seek(0); print(repr(log.read()), m.min(), m.max())", `'one\n' 1 1`)
		n.says("print(log.write('more\\n')); log.flush(); print(repr(open('../log.txt').read()))", `5
'one\nmore\n'`)
		n.says("log.seek(4); log.truncate(); print(open('../log.txt').read())", "one")
	}
	n.says("os.chdir('..'); log.close(); del m\nimport shutil\nshutil.rmtree('d')\nfor f in os.listdir('.'): os.remove(f)", "")
}

func TestM40_FilesGoBackForAUserWhoWasGivenGroups(t *testing.T) {
	prepareChild(t)
	child := asNobody()
	if !testkit.InChild(t) {
		t.Setenv(cgroup.BaseVariable, giveGroups(t, child))
	}
	testkit.RunInSubprocess(t, child, func(t *testing.T) {
		n, _ := beginDegraded(t, open(t), cellwall.Limits{}, true)
		filesGoBack(n)
	})
}

// Whoever harvests must not take our own links for a program's.
func TestM40_FilesOfALiveSessionHaveOneName(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{})
	n.says("open('a.txt', 'w').write('x')\nimport os\nos.link('a.txt', 'b.txt')\nopen('c.txt', 'w').close()", "")
	n.says("print(1)", "1") // the checkpoint stands
	files, err := n.Workspace()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]uint64{"a.txt": 2, "b.txt": 2, "c.txt": 1} {
		info, err := fs.Stat(files, name)
		if err != nil {
			t.Fatal(err)
		}
		if links := uint64(info.Sys().(*syscall.Stat_t).Nlink); links != want {
			t.Errorf("%s has %d links, want %d", name, links, want)
		}
	}
}

func TestM16_ASessionsWorkspaceIsLimitedBesideItsCheckpoints(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{WorkspaceBytes: 8 * cellwall.MiB, CheckpointBytes: 8 * cellwall.MiB, WorkspaceInodes: 100})
	n.says("open('a', 'wb').write(b'x' * (6 << 20)) and None", "")
	n.says("import os; os.remove('a'); open('b', 'wb').write(b'x' * (1 << 20)) and None", "")
	for name, source := range map[string]string{
		"more than the workspace": "open('c', 'wb').write(b'x' * (10 << 20)) and None",
		"more than all":           "open('c', 'wb').write(b'x' * (30 << 20)) and None",
		"more files":              "for i in range(150): open(f'f{i}', 'w').close()",
	} {
		got := n.cell(source)
		if !slices.Contains(got.Met, cellwall.CauseDisk) {
			t.Errorf("%s: ended %s %s, met %v, want the disk among it", name, got.Status, got.Cause, got.Met)
		}
		n.says("for f in os.listdir('.'):\n    if f != 'b': os.remove(f)\nprint(os.path.getsize('b') >> 20)", "1")
	}
}

// A session's own name for its files never leads to what is kept of them.
func TestM40_NoPathLeadsToTheKeptFiles(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{})
	n.says("open('a', 'w').write('x') and None", "")
	got := n.cell(`
import os
found = [d for top in ('/', '.', '..', '/workspace/output/..', '/proc/self/cwd/..') for d in os.listdir(top) if d in ('keep', 'work')]
fd = os.open('.', os.O_RDONLY)
found += [d for d in os.listdir(f'/proc/self/fd/{fd}/..') if d in ('keep', 'work')]
print(found, 'keep' in open('/proc/self/mountinfo').read())`)
	if !strings.HasPrefix(got.out, "[] False") {
		t.Errorf("found %s%s", got.out, got.err)
	}
}
