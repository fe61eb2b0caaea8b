package session

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

// folder is a workspace on disk that takes files.
type folder struct {
	fs.FS
	root *os.Root
}

func (f folder) Put(name string, r io.Reader, max int64) (int64, error) {
	out, err := f.root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	n, err := io.Copy(out, io.LimitReader(r, max+1))
	if n > max {
		err = os.ErrProcessDone // whatever it calls it
	}
	return n, err
}

func (f folder) Remove(name string) error { return f.root.Remove(name) }

func onDisk(t *testing.T) (folder, string) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return folder{root.FS(), root}, dir
}

func TestM41_FilesArePutReadAndRemoved(t *testing.T) {
	k := newKernel()
	disk, dir := onDisk(t)
	k.files = disk
	s := create(t, k, Options{})
	if err := s.Put(t.Context(), "a b.csv", strings.NewReader("x\n1\n"), 4); err != nil {
		t.Fatal(err)
	}
	if k.settled != 1 {
		t.Errorf("the next cell was told %d times that it is not its own", k.settled)
	}
	f, err := s.Open(t.Context(), "a b.csv")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(f)
	f.Close()
	if string(text) != "x\n1\n" {
		t.Errorf("%q", text)
	}
	for name, test := range map[string]struct {
		err  error
		want cellwall.ErrorCode
	}{
		"too large":      {s.Put(t.Context(), "big", strings.NewReader("12345"), 4), cellwall.CodeTooLarge},
		"a way out":      {s.Put(t.Context(), "../x", strings.NewReader(""), 4), cellwall.CodeConflict},
		"nothing there":  {s.Remove(t.Context(), "none"), cellwall.CodeNotFound},
		"nothing to see": {second(s.Open(t.Context(), "none")), cellwall.CodeNotFound},
		"no name":        {second(s.Open(t.Context(), "a/../../b")), cellwall.CodeBadRequest},
		"too long":       {s.Put(t.Context(), strings.Repeat("x", 300), strings.NewReader(""), 4), cellwall.CodeBadRequest},
	} {
		if got := cellwall.CodeOf(test.err); test.err == nil || got != test.want || strings.Contains(test.err.Error(), dir) {
			t.Errorf("%s: %v (%s), want %s", name, test.err, got, test.want)
		}
	}
	if err := s.Remove(t.Context(), "a b.csv"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a b.csv")); err == nil {
		t.Error("it is still there")
	}
}

func second(_ fs.File, err error) error { return err }

func TestM41_ABackendWithoutWritableFilesSaysSo(t *testing.T) {
	s := create(t, newKernel(), Options{})
	if err := s.Put(t.Context(), "a", strings.NewReader(""), 4); cellwall.CodeOf(err) != cellwall.CodeProtectionMissing {
		t.Error(err)
	}
}

func TestM40_ASessionMayHaveAShorterLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended []string
		all := open(t, newKernel(), Options{
			Idle: 10 * time.Minute, Total: time.Hour,
			Ended: func(one *Session, why string) { ended = append(ended, one.Info().Identity.Tenant+" "+one.ID()+" "+why) },
		})
		defer all.Close()
		for _, life := range []Life{{Idle: 11 * time.Minute}, {Total: 2 * time.Hour}, {Idle: -1}} {
			if _, _, err := all.CreateFor(t.Context(), cellwall.Request{}, life, nil); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
				t.Errorf("%v: %v", life, err)
			}
		}
		s, _, err := all.CreateFor(t.Context(), cellwall.Request{Identity: cellwall.Identity{Tenant: "a"}}, Life{Idle: time.Minute}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := time.Until(s.Info().Expires); got != time.Minute {
			t.Errorf("it expires in %v", got)
		}
		time.Sleep(61 * time.Second)
		synctest.Wait()
		_, err = all.Get(s.ID(), cellwall.Identity{Tenant: "a"})
		if cellwall.CodeOf(err) != cellwall.CodeConflict || !strings.Contains(cellwall.HintOf(err), "1m0s") {
			t.Errorf("%v, hint %q", err, cellwall.HintOf(err))
		}
		if len(ended) != 1 || ended[0] != "a "+s.ID()+" idle" {
			t.Errorf("%q", ended)
		}
	})
}

func TestM42_ATenantsTermsSayHowManySessions(t *testing.T) {
	all := open(t, newKernel(), Options{PerTenant: 5, Most: func(tenant string) int {
		return map[string]int{"a": 1}[tenant]
	}})
	defer all.Close()
	all.opts.Open = func(context.Context, cellwall.Request, string, cellwall.Sink) (Live, *cellwall.Result, error) {
		return newKernel(), nil, nil
	}
	for tenant, most := range map[string]int{"a": 1, "b": 5} {
		n := 0
		for range 10 {
			if _, _, err := all.Create(t.Context(), cellwall.Request{Identity: cellwall.Identity{Tenant: tenant}}, nil); err == nil {
				n++
			}
		}
		if n != most {
			t.Errorf("%s has %d, want %d", tenant, n, most)
		}
	}
}
