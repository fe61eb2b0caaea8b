package backendtest

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/pentest"
)

var (
	//go:embed programs/fingerprint.py
	fingerprintProgram string
	//go:embed programs/makers.py
	makersProgram string
	//go:embed programs/trespass.py
	trespassProgram string
)

// Templates is the contract of a backend that parses datasets ahead: what comes
// from a template is what would have been parsed in place, and nobody can change
// it for another. A brief run has the rows that depend on who the controller is.
func Templates(t *testing.T, s Setup) {
	t.Helper()
	templater, ok := s.Backend.(cellwall.Templater)
	if !ok || s.Cases == "" && !s.Brief {
		t.Fatal("backendtest.Templates: a cellwall.Templater, and Cases unless Brief, are needed")
	}
	c := &templates{Setup: s, Templater: templater}
	reference(t, s) // so that there is a zygote before the first look
	before := s.target().AtRest(t.Context())
	t.Run("apart", c.apart)
	t.Run("attacks", c.attacks)
	if !s.Brief {
		t.Run("same", c.same)
		t.Run("owner", c.owner)
		t.Run("life", c.life)
	}
	for _, left := range s.target().Settle(t.Context(), before, false) {
		t.Errorf("left behind: %s", left)
	}
}

// templates are the rows of the contract.
type templates struct {
	Setup
	cellwall.Templater
}

// on is the Spec of a dataset of one file, open until the test ends.
func (c *templates) on(t *testing.T, tenant string, files ...abuse.File) cellwall.Spec {
	t.Helper()
	sp := spec(c.Setup)
	sp.Identity.Tenant, sp.Limits.Timeout = tenant, testkit.Scale(30*time.Second)
	for _, in := range files {
		sp.Inputs = append(sp.Inputs, c.input(t, in))
	}
	return sp
}

// input hands a file over as a store does, its content known.
func (c *templates) input(t *testing.T, in abuse.File) cellwall.Input {
	t.Helper()
	f, err := pentest.HandOver(in)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	sum := sha256.Sum256(in.Data)
	return cellwall.Input{Name: in.Name, FD: int(f.Fd()), Size: int64(len(in.Data)), SHA256: hex.EncodeToString(sum[:])}
}

// prepare makes a template that is forgotten with the test, and the Spec on it.
func (c *templates) prepare(t *testing.T, sp cellwall.Spec) cellwall.Spec {
	t.Helper()
	made, err := c.Prepare(t.Context(), sp)
	if err != nil {
		t.Fatalf("prepare: %v (%s)", err, cellwall.HintOf(err))
	}
	t.Cleanup(func() {
		if err := c.Forget(made.Name); err != nil && cellwall.CodeOf(err) != cellwall.CodeNotFound {
			t.Errorf("forget: %v", err)
		}
	})
	if made.Bytes <= 0 {
		t.Errorf("a template takes %d bytes", made.Bytes)
	}
	sp.Template, sp.Inputs = made.Name, nil
	return sp
}

// output opens a sandbox of sp for one program, and returns what it printed and
// how its data was described.
func (c *templates) output(t *testing.T, sp cellwall.Spec, source string) (printed, described string) {
	t.Helper()
	sb, err := c.Backend.Open(t.Context(), sp)
	if err != nil {
		t.Fatalf("open: %v (%s)", err, cellwall.HintOf(err))
	}
	defer sb.Close()
	var out, failure strings.Builder
	end, err := sb.Run(t.Context(), code(source), func(_ context.Context, e cellwall.Event) error {
		switch e.Kind {
		case cellwall.EventStdout:
			out.Write(e.Data)
		case cellwall.EventError:
			failure.Write(e.Data)
		case cellwall.EventDatasets:
			described += string(e.Data)
		}
		return nil
	})
	if err != nil || end.Status != cellwall.StatusOK {
		t.Fatalf("ended as %+v, %v: %s", end, err, failure.String())
	}
	return out.String(), described
}

// same demands that no program can tell a template from a parse in place: every
// file of the cases, and files with everything that readers make of files.
func (c *templates) same(t *testing.T) {
	files := c.made(t)
	entries, err := os.ReadDir(c.Cases)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); slices.Contains([]string{".csv", ".tsv", ".jsonl", ".parquet", ".xlsx"}, ext) {
			file, err := fileOf(c.Cases, e.Name())
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
	}
	for _, file := range files {
		t.Run(file.Name, func(t *testing.T) { c.sameFile(t, 1_000_000, file) })
	}
	t.Run("two files, rows sampled", func(t *testing.T) { c.sameFile(t, 100, files[0], files[1]) })
}

func (c *templates) sameFile(t *testing.T, rows int, files ...abuse.File) {
	sp := c.on(t, "contract", files...)
	sp.Limits.Rows = rows
	want, wantSaid := c.output(t, sp, fingerprintProgram)
	got, gotSaid := c.output(t, c.prepare(t, sp), fingerprintProgram)
	if got != want {
		t.Errorf("from a template\n%s\nparsed in place\n%s", got, want)
	}
	if gotSaid != wantSaid || wantSaid == "" {
		t.Errorf("described as\n%s\nand not as\n%s", gotSaid, wantSaid)
	}
}

// made are the files of makers.py.
func (c *templates) made(t *testing.T) []abuse.File {
	t.Helper()
	r := execute(t, c.Setup, cellwall.Request{Code: makersProgram}, nil)
	if !r.OK || len(r.Artifacts) != 5 {
		t.Fatalf("ended as %s with %d artifacts, skipped %+v: %+v", r.Status, len(r.Artifacts), r.SkippedArtifacts, r.Error)
	}
	var files []abuse.File
	for _, a := range r.Artifacts {
		content, err := c.Artifact(a)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(content)
		content.Close()
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, abuse.File{Name: a.Name, Data: data})
	}
	return files
}
