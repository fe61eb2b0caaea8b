package backendtest

import (
	"io/fs"
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
)

// ruin is what a cell does to files before it dies, and what must be there again.
type ruin struct {
	name  string
	set   string // ends well: its files are in the checkpoint
	harm  string // then the cell dies
	check string
	want  string
}

// runRuins demands that a cell that died leaves files as they were.
func runRuins(t *testing.T, s Setup) {
	for _, rows := range [][]ruin{contentsRuined(), namesRuined(), descriptorsRuined()} {
		for _, r := range rows {
			t.Run(r.name, func(t *testing.T) {
				n := begin(t, s, cellwall.Limits{})
				n.says("import os\n"+r.set, "")
				got := n.cell(r.harm + "\nos._exit(3)")
				n.died(got, "crashed exit:3")
				if !got.Restored.Files {
					t.Errorf("restored %+v: the files did not go back", got.Restored)
				}
				n.says(r.check, r.want)
				n.died(n.cell(r.harm+"\nos._exit(4)"), "crashed exit:4") // a checkpoint is good for any number
				n.says(r.check, r.want)
			})
		}
	}
	t.Run("KeptOnRequest", func(t *testing.T) { keepFiles(t, s) })
	t.Run("OverTheirBudgetOnlyVariablesGoBack", func(t *testing.T) { overBudget(t, s) })
	t.Run("TheHostSeesWhatWasRestored", func(t *testing.T) { seenOutside(t, s) })
	t.Run("TemporaryFilesAreNoPartOfIt", func(t *testing.T) { temporary(t, s) })
}

// wrote makes files, and listed prints every name with what is behind it.
const (
	wrote  = "def put(n, t):\n    with open(n, 'w') as f: f.write(t)\n"
	listed = "print(sorted((e.name, open(e.path).read() if e.is_file(follow_symlinks=False) else '') for e in os.scandir('.')))"
)

func contentsRuined() []ruin {
	return []ruin{
		{name: "ChangedFiles", set: wrote + "put('f', 'old')", harm: "put('f', 'new')", check: listed, want: "[('f', 'old')]"},
		{name: "HalfWrittenFiles", set: wrote + "put('f', 'old')", harm: "g = open('f', 'w')\ng.write('n')\ng.flush()", check: listed, want: "[('f', 'old')]"},
		{name: "FilesOfTheSameLength", set: wrote + "put('f', 'aaaa')\ns = os.stat('f')", harm: "put('f', 'bbbb')\nos.utime('f', ns=(s.st_atime_ns, s.st_mtime_ns))", check: listed, want: "[('f', 'aaaa')]"},
		{name: "AppendedBytes", set: wrote + "put('f', 'old')", harm: "with open('f', 'a') as g: g.write(' more')", check: listed, want: "[('f', 'old')]"},
		{name: "LostBytes", set: wrote + "put('f', 'old' * 9999)", harm: "os.truncate('f', 5)", check: "print(open('f').read() == 'old' * 9999)", want: "True"},
		{name: "OneByteOfMany", set: "with open('f', 'wb') as g: g.write(bytes(8 << 20))", harm: "with open('f', 'r+b') as g:\n    g.seek(4 << 20)\n    g.write(b'x')", check: "print(open('f', 'rb').read() == bytes(8 << 20))", want: "True"},
		{name: "Holes", set: "with open('f', 'wb') as g: g.truncate(1 << 20)", harm: "with open('f', 'r+b') as g: g.write(b'x' * 4096)", check: "print(open('f', 'rb').read() == bytes(1 << 20), os.stat('f').st_blocks)", want: "True 0"},
		{
			name: "Databases", set: "import sqlite3\nc = sqlite3.connect('d')\n_ = c.execute('create table t(a)'), c.execute('insert into t values (1)')\nc.commit()",
			harm:  "_ = c.execute('pragma cache_size=1'), c.executemany('insert into t values (?)', [(i,) for i in range(99999)])",
			check: "print(c.execute('select sum(a), count(*) from t').fetchall(), c.execute('pragma integrity_check').fetchall(), os.listdir('.'))",
			want:  "[(1, 1)] [('ok',)] ['d']",
		},
		{
			name: "SharedMappings", set: "import mmap\nwith open('f', 'wb') as g: g.write(b'old.')\ng = open('f', 'r+b')\nm = mmap.mmap(g.fileno(), 4)",
			harm: "m[:3] = b'new'", check: "print(m[:], open('f').read())", want: "b'old.' old.",
		},
		{
			name: "MappingsThatAreGone", set: "import mmap\nwith open('f', 'wb') as g: g.write(b'old.')",
			harm:  "with open('f', 'r+b') as g:\n    m = mmap.mmap(g.fileno(), 4)\n    m[:3] = b'new'\n    m.close()",
			check: listed, want: "[('f', 'old.')]",
		},
	}
}

func namesRuined() []ruin {
	return []ruin{
		{name: "NewFiles", set: "pass", harm: "open('f', 'w').close(); os.mkdir('d'); open('d/g', 'w').close(); os.mkfifo('p')", check: listed, want: "[]"},
		{name: "RemovedFiles", set: wrote + "put('f', 'old')", harm: "os.remove('f')", check: listed, want: "[('f', 'old')]"},
		{name: "RenamedFiles", set: wrote + "put('f', 'old')", harm: "os.rename('f', 'g')", check: listed, want: "[('f', 'old')]"},
		{name: "ReplacedFiles", set: wrote + "put('f', 'old')", harm: "put('g', 'new')\nos.replace('g', 'f')", check: listed, want: "[('f', 'old')]"},
		{name: "ExchangedFiles", set: wrote + "put('f', 'one')\nput('g', 'two')", harm: "os.rename('f', 'h'); os.rename('g', 'f'); os.rename('h', 'g')", check: listed, want: "[('f', 'one'), ('g', 'two')]"},
		{name: "TwoNamesOfOneFile", set: wrote + "put('f', 'old')\nos.link('f', 'g')", harm: "os.remove('f')\nput('g', 'new')", check: listed + "\nprint(os.stat('f').st_ino == os.stat('g').st_ino)", want: "[('f', 'old'), ('g', 'old')]\nTrue"},
		{name: "RemovedDirectories", set: wrote + "os.makedirs('d/e')\nput('d/e/f', 'old')", harm: "import shutil\nshutil.rmtree('d')", check: "print(open('d/e/f').read(), os.listdir('d'))", want: "old ['e']"},
		{name: "DirectoriesInThePlaceOfFiles", set: wrote + "put('f', 'old')\nos.mkdir('d')", harm: "os.remove('f'); os.mkdir('f'); os.rmdir('d')\nput('d', 'new')", check: "print(open('f').read(), os.path.isdir('d'))", want: "old True"},
		{name: "SymbolicLinks", set: wrote + "put('f', 'old')\nos.symlink('f', 'l')", harm: "os.remove('l')\nos.symlink('/etc/passwd', 'l')", check: "print(os.readlink('l'), open('l').read())", want: "f old"},
		{name: "Permissions", set: wrote + "put('f', 'old')\nos.chmod('f', 0o640)\nos.mkdir('d', 0o700)", harm: "os.chmod('f', 0)\nos.chmod('d', 0)", check: "print(oct(os.stat('f').st_mode & 0o777), oct(os.stat('d').st_mode & 0o777))", want: "0o640 0o700"},
		{name: "Times", set: wrote + "put('f', 'old')\nos.utime('f', (1, 1))", harm: "put('f', 'new')", check: "print(os.stat('f').st_mtime, open('f').read())", want: "1.0 old"},
		{name: "OddNames", set: "for n in (b'\\xff\\xfe', '漢 \\n'.encode(), b'-rf', b'a' * 255):\n    with open(n, 'w') as f: f.write('old')", harm: "for n in os.listdir(b'.'): os.rename(n, b'x' + n[:200])", check: "print(len(os.listdir('.')), {open(n).read() for n in os.listdir(b'.')}, b'\\xff\\xfe' in os.listdir(b'.'))", want: "4 {'old'} True"},
		{name: "ManyFiles", set: wrote + "for i in range(500): put(str(i), str(i))", harm: "for i in range(500): os.remove(str(i)) if i % 2 else put(str(i), 'new')", check: "print(all(open(str(i)).read() == str(i) for i in range(500)), len(os.listdir('.')))", want: "True 500"},
	}
}

func descriptorsRuined() []ruin {
	return []ruin{
		{
			name: "TheWorkingDirectory", set: "os.mkdir('d')\nos.chdir('d')\nwith open('x', 'w') as f: pass",
			harm: "import shutil\nshutil.rmtree('/workspace/output/d')", check: "print(os.getcwd(), os.listdir())", want: "/workspace/output/d ['x']",
		},
		{name: "OpenFilesStayRight", set: wrote + "put('f', 'old')\ng = open('f', 'r+')", harm: "g.write('new')\ng.flush()", check: "_ = g.seek(0)\nprint(g.read(), os.fstat(g.fileno()).st_ino == os.stat('f').st_ino)", want: "old True"},
		{name: "OpenFilesThatWereRemoved", set: wrote + "put('f', 'old')\ng = open('f', 'r+')", harm: "os.remove('f')\nput('f', 'new')", check: "_ = g.seek(0)\nprint(g.read(), os.fstat(g.fileno()).st_ino == os.stat('f').st_ino)", want: "old True"},
		{name: "WritingGoesOn", set: "g = open('f', 'w')\n_ = g.write('one ')\ng.flush()", harm: "_ = g.write('lost')\ng.flush()", check: "_ = g.write('two')\ng.flush()\nprint(open('f').read())\n_ = g.seek(4), g.truncate()", want: "one two"},
		{name: "AWorkingDirectoryThatWasLeft", set: "os.mkdir('d')\nos.chdir('d')", harm: "os.chdir('..')", check: "print(os.getcwd())", want: "/workspace/output/d"},
	}
}

func keepFiles(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("x = 1\nwith open('f', 'w') as f: f.write('old')", "")
	c := n.code("x = 2\nimport os\nwith open('f', 'w') as f: f.write('half')\nos._exit(3)")
	c.KeepFiles = true
	got := n.run(c)
	n.died(got, "crashed exit:3")
	if got.Restored.Files {
		t.Errorf("restored %+v", got.Restored)
	}
	n.says("print(x, open('f').read())", "1 half")
}

func overBudget(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{CheckpointBytes: cellwall.MiB, WorkspaceBytes: 64 * cellwall.MiB})
	n.says("x = 1\nwith open('f', 'wb') as f: f.write(b'a' * (8 << 20))\nwith open('g', 'w') as f: f.write('old')", "")
	got := n.cell("x = 2\nimport os\nwith open('f', 'r+b') as f: f.write(b'b')\nos._exit(3)")
	n.died(got, "crashed exit:3")
	told := slices.ContainsFunc(got.Restored.Lost, func(l cellwall.Notice) bool { return l.Code == cellwall.LostFiles })
	if got.Restored.Files && !told {
		t.Errorf("restored %+v: nothing is told of a file that was too large to be kept", got.Restored)
	}
	n.says("import os\nprint(x, os.path.getsize('f'), open('g').read())", "1 8388608 old")
}

func seenOutside(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("with open('f', 'w') as f: f.write('old')", "")
	n.died(n.cell("import os\nos.remove('f')\nopen('new', 'w').close()\nos._exit(3)"), "crashed exit:3")
	n.says("pass", "")
	tree, err := n.Workspace()
	if err != nil {
		t.Fatal(err)
	}
	names, err := fs.Glob(tree, "*")
	if err != nil || !slices.Equal(names, []string{"f"}) {
		t.Errorf("the host sees %q, %v", names, err)
	}
	if text, err := fs.ReadFile(tree, "f"); err != nil || string(text) != "old" {
		t.Errorf("f is %q, %v", text, err)
	}
}

// temporary shows where the promise ends.
func temporary(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("with open('/tmp/f', 'w') as f: f.write('old')", "")
	n.died(n.cell("import os\nwith open('/tmp/f', 'w') as f: f.write('new')\nos._exit(3)"), "crashed exit:3")
	n.says("print(open('/tmp/f').read())", "new")
}
