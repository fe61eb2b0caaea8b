package native_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// room prints how many bytes of input there are, and how many bytes and inodes
// their file system can hold.
const room = `
import os
here = '/workspace/input'
of = os.statvfs(here)
print(sum(os.path.getsize(f'{here}/{n}') for n in os.listdir(here)), of.f_blocks * of.f_frsize, of.f_files)
`

// What the warden copies is in memory that no run's group is charged for: the
// wall itself holds it to the limit, whatever a caller says of a file.
func TestP15_InputsAreLimitedByTheWall(t *testing.T) {
	testkit.RequireRoot(t)
	b := open(t)
	path := filepath.Join(t.TempDir(), "grown.csv")
	if err := os.WriteFile(path, bytes.Repeat([]byte("1\n"), int(cellwall.MiB)), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	input := func(name string, size int64) cellwall.Input {
		return cellwall.Input{Name: name, FD: int(file.Fd()), Size: size}
	}
	limits := cellwall.DefaultLimits()
	limits.InputBytes = cellwall.MiB
	many := make([]cellwall.Input, cellwall.MaxInputs+1)
	for _, c := range []struct {
		name   string
		inputs []cellwall.Input
		want   cellwall.ErrorCode
	}{
		{"as much as was counted of a file that grew", []cellwall.Input{input("a.csv", 6), input("b.csv", cellwall.MiB-6)}, ""},
		{"a byte more than the limit", []cellwall.Input{input("a.csv", 6), input("b.csv", cellwall.MiB-5)}, cellwall.CodeTooLarge},
		{"more files than the limit", many, cellwall.CodeBadRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := b.Open(t.Context(), cellwall.Spec{Environment: basic(t), Limits: limits})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			err = s.Bind(t.Context(), cellwall.Claim{Inputs: c.inputs, Limits: limits})
			if c.want != "" {
				if cellwall.CodeOf(err) != c.want {
					t.Fatalf("%v, want %s", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("%d %d %d\n", cellwall.MiB, cellwall.MiB+int64(cellwall.MaxInputs*os.Getpagesize()), cellwall.MaxInputs+1)
			if got := ask(t, s, room); got != want {
				t.Errorf("bytes copied, and room for bytes and files: %swant %s", got, want)
			}
		})
	}
}
