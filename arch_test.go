package cellwall_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// TestArchitecture holds the tree to the rules of the house.
func TestArchitecture(t *testing.T) {
	for _, v := range checkHouse(t, os.DirFS(".")) {
		t.Error(v)
	}
}

// TestArchitectureCheckBites proves that each rule can fail.
func TestArchitectureCheckBites(t *testing.T) {
	const doc = "// Package x is a test.\n"
	for name, c := range map[string]struct {
		file, source, want string
	}{
		"a room imports its neighbour":    {"pool/a.go", doc + "package pool\nimport _ \"" + module + "/observe\"", "must not import observe"},
		"the root imports a library":      {"a.go", doc + "package cellwall\nimport _ \"golang.org/x/text\"", "standard library only"},
		"the guest imports the root":      {"guest/a.go", doc + "package guest\nimport _ \"" + module + "\"", "must not import the root"},
		"a facility imports the root":     {"linux/ns/a.go", doc + "package ns\nimport _ \"" + module + "\"", "must not import the root"},
		"a backend imports another":       {"backend/vm/a.go", doc + "package vm\nimport _ \"" + module + "/backend/native\"", "must not import backend/native"},
		"a new backend touches linux":     {"backend/docker/a.go", doc + "package docker\nimport _ \"" + module + "/linux/ns\"", "must not import linux/ns"},
		"raw system calls elsewhere":      {"pool/a.go", doc + "package pool\nimport _ \"golang.org/x/sys/unix\"", "only below linux/"},
		"a test imports a neighbour":      {"pool/a_test.go", "package pool\nimport _ \"" + module + "/observe\"", "must not import observe"},
		"testing in the product":          {"pool/a.go", doc + "package pool\nimport _ \"testing\"", "testing"},
		"a hook by blank import":          {"pool/a.go", doc + "package pool\nimport _ \"image/png\"", "blank import"},
		"cgo":                             {"pool/a.go", doc + "package pool\nimport \"C\"", "cgo"},
		"a room that is not in the table": {"helper/a.go", doc + "package helper", "no room"},
		"no package comment":              {"pool/a.go", "package pool", "no package comment"},
		"an init function":                {"pool/a.go", doc + "package pool\nfunc init() {}", "init()"},
		"a file too long":                 {"pool/a.go", doc + "package pool\n" + strings.Repeat("\n", maxLines), "lines"},
		"a function too long":             {"pool/a.go", doc + "package pool\nfunc f() {" + strings.Repeat("\n", maxFunction) + "}", "f has 61 lines"},
		"code in a table":                 {"pool/a.go", doc + "package pool\nvar _ = 1\nfunc f() { _ = []func(){func() {" + strings.Repeat("\n", maxFunction) + "}} }", "f has 61 lines"},
		"a Python file too long":          {"guest/driver/a.py", strings.Repeat("\n", maxLines+1), "lines"},
		"a skip without a reason":         {"pool/a_test.go", "package pool\nimport \"testing\"\nfunc TestX(t *testing.T) { t.SkipNow() }", "reason"},
		"a skip without proof":            {"pool/a_test.go", "package pool\nimport \"testing\"\nfunc TestX(t *testing.T) { t.Skipf(\"no disk: %d\", 1) }", "proof"},
		"a skip that cannot be read":      {"pool/a_test.go", "package pool\nimport \"testing\"\nfunc TestX(t *testing.T) { t.Skip(why) }", "proof"},
		"a skip with an empty reason":     {"pool/a_test.go", "package pool\nimport \"testing\"\nfunc TestX(t *testing.T) { t.Skip() }", "reason"},
	} {
		t.Run(name, func(t *testing.T) {
			found := checkHouse(t, fstest.MapFS{c.file: {Data: []byte(c.source)}})
			if !slices.ContainsFunc(found, func(v string) bool { return strings.Contains(v, c.want) }) {
				t.Errorf("found %q, want one with %q", found, c.want)
			}
		})
	}
	clean := fstest.MapFS{
		"pool/doc.go":              {Data: []byte(doc + "package pool")},
		"pool/a.go":                {Data: []byte("package pool\nimport _ \"" + module + "\"\nimport _ \"" + module + "/internal/cleanup\"")},
		"pool/a_test.go":           {Data: []byte("package pool\nimport _ \"" + module + "/abuse\"")},
		"backend/native/a.go":      {Data: []byte(doc + "package native\nimport _ \"" + module + "/linux/ns\"")},
		"linux/ns/a.go":            {Data: []byte(doc + "package ns\nimport \"golang.org/x/sys/unix\"")},
		"pool/table.go":            {Data: []byte("package pool\nfunc f() { _ = []int{" + strings.Repeat("1,\n", 9*maxFunction) + "} }")},
		"pool/testdata/ignored.go": {Data: []byte("package broken\nfunc init() {")},
		".tools/elsewhere/main.go": {Data: []byte("package main\nfunc init() {}")},
		"environments/x/debs.lock": {Data: []byte(strings.Repeat("\n", 9999))},
	}
	for _, v := range checkHouse(t, clean) {
		t.Errorf("a clean house: %s", v)
	}
}

// checkHouse returns every violation below root, as "file: what".
func checkHouse(t *testing.T, root fs.FS) (violations []string) {
	t.Helper()
	documented := map[string]bool{} // package directory → has a comment
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); base == "testdata" || name != "." && strings.HasPrefix(base, ".") {
				return fs.SkipDir
			}
			return nil
		}
		if ext := path.Ext(name); ext != ".go" && ext != ".py" {
			return nil
		}
		raw, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		report := func(format string, args ...any) {
			violations = append(violations, name+": "+fmt.Sprintf(format, args...))
		}
		if n := bytes.Count(raw, []byte("\n")); n > maxLines {
			report("%d lines are more than %d: split it by idea", n, maxLines)
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, raw, parser.ParseComments)
		if err != nil {
			return err
		}
		if dir := path.Dir(name); !strings.HasSuffix(name, "_test.go") {
			documented[dir] = documented[dir] || file.Doc != nil
		}
		checkImports(name, file, report)
		checkFunctions(name, file, report)
		checkLength(set, file, report)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, ok := range documented {
		if !ok {
			violations = append(violations, dir+": no package comment; doc.go is the specification of its package")
		}
	}
	slices.Sort(violations)
	return violations
}

// checkImports holds one file to the import table.
func checkImports(name string, file *ast.File, report func(string, ...any)) {
	dir, test := path.Dir(name), strings.HasSuffix(name, "_test.go")
	room, ok := roomOf(dir)
	if !ok {
		report("no room of the table holds %s", dir)
		return
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			report("import %s: %v", spec.Path.Value, err)
			continue
		}
		local, ours := strings.CutPrefix(imported, module)
		local = strings.TrimPrefix(local, "/")
		switch {
		case imported == "C":
			report("cgo: the binary is static")
		case ours && local == "":
			if dir != "." && !room.root {
				report("must not import the root (%s)", room.why)
			}
		case ours:
			if !room.allows(dir, local, test) {
				report("must not import %s (%s)", local, room.why)
			}
		case imported == "testing" && !test && !room.tests:
			report("testing belongs into tests")
		case strings.HasPrefix(imported, "golang.org/x/sys/unix") && !strings.HasPrefix(dir, "linux/"):
			report("golang.org/x/sys/unix only below linux/, where each call has a name and a test")
		case room.standard && !test && strings.Contains(strings.Split(imported, "/")[0], "."):
			report("%s: standard library only (%s)", imported, room.why)
		case spec.Name != nil && spec.Name.Name == "_" && imported != "embed":
			report("blank import of %s: what exists stands in a literal map in cmd", imported)
		}
	}
}

// checkFunctions finds init functions, and skips that prove nothing.
func checkFunctions(name string, file *ast.File, report func(string, ...any)) {
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			report("init(): nothing happens by being imported")
		}
	}
	if !strings.HasSuffix(name, "_test.go") {
		return
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		f, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || f.Sel.Name != "Skip" && f.Sel.Name != "Skipf" && f.Sel.Name != "SkipNow" {
			return true
		}
		switch {
		case len(call.Args) == 0:
			report("a skip without a reason")
		case !proves(call.Args[0]):
			report("a skip must say %q and what this host lacks, or name the switch of the long tier", "proof")
		}
		return true
	})
}

// proves reports whether the text of a skip is there to be read, and holds a
// proof, or the variable that a longer run sets.
func proves(text ast.Expr) bool {
	said, ok := text.(*ast.BasicLit)
	return ok && (strings.Contains(said.Value, ", proof") || strings.Contains(said.Value, "CELLWALL_TEST_"))
}
