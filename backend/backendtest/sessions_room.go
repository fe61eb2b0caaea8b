package backendtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// runRoom holds the checkpoints of files to the budget that they have.
func runRoom(t *testing.T, s Setup) {
	t.Run("OnlyAFileThatWasTouchedIsNamed", func(t *testing.T) { namesTouched(t, s) })
	t.Run("TheOldestLoseTheirFilesAndSaySo", func(t *testing.T) { stripped(t, s) })
	t.Run("ADeepTreeIsRemoved", func(t *testing.T) { deep(t, s) })
	t.Run("FilesThatAreNotKeptAreToldAtTheNextCell", func(t *testing.T) { toldEarly(t, s) })
}

func namesTouched(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{CheckpointBytes: cellwall.MiB})
	n.says("import os\nwith open('large', 'wb') as f: f.write(b'x' * (4 << 20))\nwith open('small', 'w') as f: f.write('right')", "")
	got := n.cell("with open('small', 'w') as f: f.write('wrong')\nos._exit(3)")
	n.died(got, "crashed exit:3")
	if !got.Restored.Files || len(got.Restored.Lost) > 0 {
		t.Errorf("restored %+v, and nobody touched what was too large", got.Restored)
	}
	n.says("print(open('small').read(), os.path.getsize('large') >> 20)", "right 4")
	got = n.cell("with open('small', 'w') as f: f.write('wrong')\nos.truncate('large', 7)\nos._exit(3)")
	n.died(got, "crashed exit:3")
	if lost := got.Restored.Lost; len(lost) != 1 || lost[0].Code != cellwall.LostFiles || lost[0].Args["names"] != "large" {
		t.Errorf("lost %+v, want the large file, by name", lost)
	}
	n.says("print(open('small').read())", "right")
}

func stripped(t *testing.T, s Setup) {
	k := beginKeeper(t, s, cellwall.Limits{CheckpointBytes: 2 * cellwall.MiB})
	k.says("x = 0", "")
	first := k.at().ID
	for range 4 {
		k.says("x += 1\nwith open('f', 'wb') as f: f.write(bytes([x]) * (1 << 20))", "")
		if c := k.at(); !c.Files || c.FileBytes != cellwall.MiB {
			t.Errorf("the newest is %+v, want its files, 1 MiB of copies", c)
		}
	}
	kept, bytes := 0, int64(0)
	for _, c := range k.list() {
		if c.Files {
			kept, bytes = kept+1, bytes+c.FileBytes
		}
	}
	if kept != 2 || bytes > 2*cellwall.MiB {
		t.Errorf("%d checkpoints have files, of %d bytes; want 2 within the budget", kept, bytes)
	}
	if r := k.back(cellwall.Return{To: first}); r.Files {
		t.Errorf("restored %+v: its files went for newer ones", r)
	}
	k.says("print(x, open('f', 'rb').read(1))", `0 b'\x04'`)
}

// deep: no path is long enough to say where it is.
func deep(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("import os\nwith open('f', 'w') as f: f.write('right')", "")
	n.died(n.cell(`for i in range(500):
    os.mkdir('a-long-name-of-a-directory')
    os.chdir('a-long-name-of-a-directory')
os._exit(3)`), "crashed exit:3")
	n.says("print(os.listdir('.'), open('f').read())", "['f'] right")
}

// toldEarly: who hears only at a death which files do not come back hears too late.
func toldEarly(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{CheckpointBytes: cellwall.MiB})
	told := func(code string) bool {
		return slices.ContainsFunc(n.cell("x = 1").notices, func(c string) bool { return strings.HasPrefix(c, code) })
	}
	n.says("with open('large', 'wb') as f: f.write(b'x' * (4 << 20))", "")
	if !told("files_left_out") {
		t.Error("a file over the budget is not told")
	}
	if told("files_") {
		t.Error("what was told is told again")
	}
	n.says("import os\nfor i in range(130):\n    os.mkdir('d')\n    os.chdir('d')\nos.chdir('/workspace/output')", "")
	if !told("files_not_kept") {
		t.Error("directories that are too deep to be kept are not told")
	}
}
