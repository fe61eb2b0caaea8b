package native_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/native"
	"github.com/cellwall/cellwall/internal/testkit"
)

// dataset makes a Spec with one file.
func dataset(t testing.TB, tenant, name, content string) cellwall.Spec {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return cellwall.Spec{
		Identity: cellwall.Identity{Tenant: tenant}, Environment: basic(t),
		Inputs: []cellwall.Input{{Name: name, FD: int(file.Fd()), Size: int64(len(content))}},
	}
}

func prepare(t testing.TB, b *native.Backend, spec cellwall.Spec) string {
	t.Helper()
	made, err := b.Prepare(t.Context(), spec)
	if err != nil {
		t.Fatalf("%v\nhint: %s", err, cellwall.HintOf(err))
	}
	return made.Name
}

// on is the Spec of sandboxes on a template.
func on(spec cellwall.Spec, name string) cellwall.Spec {
	spec.Template, spec.Inputs = name, nil
	return spec
}

// printed opens a sandbox for one program and returns what that says.
func printed(t testing.TB, b *native.Backend, spec cellwall.Spec, source string) string {
	t.Helper()
	s, err := b.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var out strings.Builder
	code := cellwall.Code{Execution: cellwall.NewID(cellwall.PrefixExecution), Source: source}
	end, err := s.Run(t.Context(), code, func(_ context.Context, e cellwall.Event) error {
		if e.Kind == cellwall.EventStdout || e.Kind == cellwall.EventError {
			out.Write(e.Data)
		}
		return nil
	})
	if err != nil || end.Status != cellwall.StatusOK {
		t.Fatalf("%+v %v: %s", end, err, out.String())
	}
	return strings.TrimSpace(out.String())
}

const sales = "kind,amount,note\na,1,x\nb,2,\na,3,中文\n"

func TestM8_ADatasetIsParsedOnceForManySandboxes(t *testing.T) {
	testkit.RequireRoot(t)
	b := open(t)
	spec := dataset(t, "acme", "sales.csv", sales)
	name := prepare(t, b, spec)
	source := "print(len(df), df.amount.sum(), list(dfs), df.note.isna().sum(), df.kind.value_counts()['a'])\ndf['amount'] = 0"
	for range 3 { // each has its own
		if got := printed(t, b, on(spec, name), source); got != "3 6 ['sales'] 1 2" {
			t.Errorf("printed %q", got)
		}
	}
	session := on(spec, name)
	session.Session = true
	s, err := b.Open(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n := &notebook{t: t, Interpreter: s.(cellwall.Interpreter)}
	if end, err := n.Begin(t.Context(), cellwall.Code{Execution: "exec_1"}, func(context.Context, cellwall.Event) error { return nil }); err != nil || end.Status != cellwall.StatusOK {
		t.Fatalf("%+v %v", end, err)
	}
	n.says("print(df.amount.sum())\ndf['amount'] += 1", "6")
	if err := b.Forget(name); err != nil {
		t.Fatal(err)
	}
	n.run(t.Context(), n.code("import os\nos._exit(1)"))
	n.says("print(df.amount.sum())", "9") // who came from it goes on
}

func TestM8_ATemplateIsItsTenantsAlone(t *testing.T) {
	testkit.RequireRoot(t)
	b := open(t)
	spec := dataset(t, "acme", "sales.csv", sales)
	name := prepare(t, b, spec)
	if other := prepare(t, b, dataset(t, "globex", "sales.csv", sales)); other == name {
		t.Error("two tenants have one template")
	}
	fewer := on(spec, name)
	fewer.Limits.Rows = 2
	stranger := on(spec, name)
	stranger.Identity.Tenant = "globex"
	for what, spec := range map[string]cellwall.Spec{
		"another tenant": stranger, "other rows": fewer, "no template": on(spec, cellwall.NewID(cellwall.PrefixTemplate)),
	} {
		if s, err := b.Open(t.Context(), spec); cellwall.CodeOf(err) != cellwall.CodeNotFound {
			t.Errorf("%s: %v %v, want that there is none", what, s, err)
		}
	}
	if err := b.Forget(name); err != nil {
		t.Error(err)
	}
	if err := b.Forget(name); cellwall.CodeOf(err) != cellwall.CodeNotFound {
		t.Errorf("forget it again: %v", err)
	}
	if _, err := b.Open(t.Context(), on(spec, name)); cellwall.CodeOf(err) != cellwall.CodeNotFound {
		t.Errorf("a forgotten template: %v", err)
	}
}

func TestM8_WhatCannotBePreparedIsSaid(t *testing.T) {
	testkit.RequireRoot(t)
	b := open(t)
	for name, c := range map[string]struct{ file, content, want string }{
		"a damaged file": {"a.parquet", "PAR1 broken", "a.parquet"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.Prepare(t.Context(), dataset(t, "acme", c.file, c.content))
			if cellwall.CodeOf(err) != cellwall.CodeDatasetUnreadable || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := b.Prepare(t.Context(), cellwall.Spec{Environment: basic(t)}); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
		t.Errorf("without inputs: %v", err)
	}
}
