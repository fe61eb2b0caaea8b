package cellwall_test

import (
	"go/ast"
	"go/token"
)

// maxFunction is how many lines a function may have. Tables are read row by
// row, so lines that are only data do not count.
const maxFunction = 60

// checkLength finds functions that are too long to be read at once.
func checkLength(set *token.FileSet, file *ast.File, report func(string, ...any)) {
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		if n := lines(set, f) - dataLines(set, f.Body); n > maxFunction {
			report("%s has %d lines, more than %d: split it", f.Name.Name, n, maxFunction)
		}
	}
}

func lines(set *token.FileSet, n ast.Node) int {
	return set.Position(n.End()).Line - set.Position(n.Pos()).Line + 1
}

// dataLines counts the lines of literals below their first, without those of the
// functions in them.
func dataLines(set *token.FileSet, body ast.Node) (n int) {
	ast.Inspect(body, func(node ast.Node) bool {
		literal, ok := node.(*ast.CompositeLit)
		if ok {
			n += lines(set, literal) - 1 - codeLines(set, literal)
		}
		return !ok
	})
	return n
}

// codeLines counts the lines of the functions in a literal.
func codeLines(set *token.FileSet, literal *ast.CompositeLit) (n int) {
	ast.Inspect(literal, func(node ast.Node) bool {
		f, ok := node.(*ast.FuncLit)
		if ok {
			n += lines(set, f) - 1
		}
		return !ok
	})
	return n
}
