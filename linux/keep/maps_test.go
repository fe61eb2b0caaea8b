package keep

import (
	"maps"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestM40_OnlyWritableSharedMappingsOfThisFileSystemCount(t *testing.T) {
	const table = `7f00-7f01 rw-s 00000000 00:2f 12                         /workspace/output/a
7f01-7f02 r--s 00000000 00:2f 13                         /workspace/output/b
7f02-7f03 rw-p 00000000 00:2f 14                         /workspace/output/c
7f03-7f04 rw-s 00000000 00:30 15                         /dev/shm/d
7f04-7f05 rwxs 00001000 00:2f 16                         /workspace/output/e (deleted)
7f05-7f06 rw-s 00000000 00:2f 17                         /workspace/output/x rw-s 0 00:2f 18 /y
7f06-7f07 rw-p 00000000 00:00 0 
7ffc-7ffd rw-p 00000000 00:00 0                          [stack]
`
	found := map[uint64]bool{}
	long := strings.Replace(table, "/a\n", "/"+strings.Repeat("a", 1<<18)+"\n", 1)
	for _, text := range []string{table, long} {
		if err := writable(strings.NewReader(text), unix.Mkdev(0, 0x2f), found); err != nil {
			t.Fatal(err)
		}
		if want := (map[uint64]bool{12: true, 16: true, 17: true}); !maps.Equal(found, want) {
			t.Errorf("found %v, want %v", found, want)
		}
	}
}

func FuzzMaps(f *testing.F) {
	f.Add("7f00-7f01 rw-s 00000000 00:2f 12 /workspace/output/a\n")
	f.Add("rw-s rw-s rw-s 00:2f 99999999999999999999\n\n")
	f.Fuzz(func(t *testing.T, table string) {
		found := map[uint64]bool{}
		if err := writable(strings.NewReader(table), unix.Mkdev(0, 0x2f), found); err != nil {
			t.Fatal(err)
		}
		if len(found) > strings.Count(table, "\n")+1 {
			t.Errorf("%d inodes in %q", len(found), table)
		}
	})
}
