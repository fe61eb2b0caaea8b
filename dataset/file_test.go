package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cellwall/cellwall"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpen_refuses_what_is_no_file_with_bytes_and_says_what_to_do(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		path string
		code cellwall.ErrorCode
		says string
	}{
		"missing":    {filepath.Join(dir, "no.csv"), cellwall.CodeNotFound, "no such file"},
		"directory":  {dir, cellwall.CodeBadRequest, "is a directory"},
		"named pipe": {fifo, cellwall.CodeBadRequest, "is not a regular file"},
		"device":     {"/dev/zero", cellwall.CodeBadRequest, "is not a regular file"},
		"empty":      {write(t, "e.csv", ""), cellwall.CodeBadRequest, "is empty"},
		"too large":  {write(t, "l.csv", "12345678901"), cellwall.CodeTooLarge, "11 bytes are more than 10"},
		"below file": {write(t, "f.csv", "a") + "/x", cellwall.CodeBadRequest, "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := Open(c.path, 10)
			if err == nil {
				file.Close()
				t.Fatal("opened")
			}
			if got := cellwall.CodeOf(err); got != c.code {
				t.Errorf("code %s, want %s", got, c.code)
			}
			if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.path) {
				t.Errorf("text %q lacks %q or the path", err, c.says)
			}
			if cellwall.HintOf(err) == "" {
				t.Error("no hint")
			}
		})
	}
}

func TestOpen_gives_name_size_and_hash_without_moving_the_offset(t *testing.T) {
	file, err := Open(write(t, "销售 明细.csv", "a,b\n1,2\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sum, err := file.SHA256()
	if err != nil {
		t.Fatal(err)
	}
	want := sha256.Sum256([]byte("a,b\n1,2\n"))
	if sum != hex.EncodeToString(want[:]) {
		t.Errorf("hash %s", sum)
	}
	in := file.Input()
	if in.Name != "销售 明细.csv" || in.Size != 8 {
		t.Errorf("input %+v", in)
	}
	if at, err := syscall.Seek(in.FD, 0, io.SeekCurrent); at != 0 || err != nil {
		t.Errorf("offset %d after hashing: %v", at, err)
	}
}

func TestOpen_follows_a_link_of_the_user(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link.csv")
	if err := os.Symlink(write(t, "real.csv", "a\n"), link); err != nil {
		t.Fatal(err)
	}
	file, err := Open(link, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if file.Name() != "link.csv" {
		t.Errorf("name %q", file.Name())
	}
}

func TestSHA256_fails_when_the_file_became_shorter(t *testing.T) {
	path := write(t, "a.csv", "a,b\n1,2\n")
	file, err := Open(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := os.Truncate(path, 2); err != nil {
		t.Fatal(err)
	}
	if sum, err := file.SHA256(); err == nil {
		t.Errorf("hash %s of a file that is gone", sum)
	}
}

func TestOpenAll_numbers_twins_and_closes_all_on_error(t *testing.T) {
	one, two := write(t, "sales.csv.gz", "x"), write(t, "sales.csv.gz", "y")
	files, err := OpenAll([]string{one, two, one}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
		f.Close()
	}
	if got := strings.Join(names, " "); got != "sales.csv.gz sales_2.csv.gz sales_3.csv.gz" {
		t.Errorf("names %s", got)
	}
	before := openDescriptors(t)
	if _, err := OpenAll([]string{one, two, one + "missing"}, 0); err == nil {
		t.Error("opened a missing file")
	}
	if after := openDescriptors(t); after != before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
	if _, err := OpenAll(make([]string, cellwall.MaxInputs+1), 0); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
		t.Errorf("too many files: %v", err)
	}
}

func TestOpen_takes_one_file_as_large_as_all_may_be_together(t *testing.T) {
	path := write(t, "large.csv", "a,b\n")
	room := cellwall.DefaultLimits().InputBytes
	for _, tc := range []struct {
		size, most int64
		want       bool
	}{
		{room, 0, true}, {room + 1, 0, false}, {room + 1, 2 * room, true}, {2*room + 1, 2 * room, false},
	} {
		if err := os.Truncate(path, tc.size); err != nil { // sparse: it costs nothing
			t.Fatal(err)
		}
		file, err := Open(path, tc.most)
		if (err == nil) != tc.want || err != nil && cellwall.CodeOf(err) != cellwall.CodeTooLarge {
			t.Errorf("%d bytes within %d: %v", tc.size, tc.most, err)
		}
		if err == nil {
			file.Close()
		}
	}
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
