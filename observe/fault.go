package observe

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cellwall/cellwall"
)

// fault is a failure with what its class depends on taken apart.
type fault struct {
	class   class
	kind    string   // exception type without its module
	message string   // bounded
	name    string   // what was missing, "" when unknown
	names   []string // all of it, when several were
	line    string   // text of the failing line, "" when unknown
	trace   string

	table   cellwall.TableInScope // the one that was most likely meant
	columns []string              // its columns, then those of the others
}

// maxScanned bounds what is searched in a message or traceback.
const maxScanned = 16 * 1024

func (o *observer) fault() fault {
	r := o.in.Result
	f := fault{class: classOther}
	if e := r.Error; e != nil {
		f.kind = e.Type[strings.LastIndexByte(e.Type, '.')+1:]
		f.message = head(e.Message, maxScanned)
		f.trace = tail(e.Traceback, maxScanned)
		if f.line = failingLine(f.trace); f.line == "" {
			f.line = markedLine(head(e.Excerpt, maxScanned))
		}
		for _, n := range missingNames(*e, f.kind) {
			f.names = append(f.names, head(n, 4*maxName))
		}
		if len(f.names) > 0 {
			f.name = f.names[0]
		}
	}
	f.table = o.meant(f)
	f.columns = o.columnNames(f)
	f.class = o.classOf(f)
	if f.class == classOther {
		return o.cause(f)
	}
	return f
}

// classOf lets the kernel's evidence decide first, then the exception.
func (o *observer) classOf(f fault) class {
	r := o.in.Result
	if r.Status == cellwall.StatusRefused {
		return o.refusedClass()
	}
	if r.Status == cellwall.StatusTimeout && slices.Contains(o.in.Met, cellwall.CauseProcesses) {
		return classStuck
	}
	if c, ok := byStatus[r.Status]; ok {
		return c
	}
	if r.Status == cellwall.StatusCrashed {
		return crashClass(r.Cause)
	}
	if r.Error == nil {
		return classExit
	}
	return o.exceptionClass(f)
}

// exceptionClass decides by the exception: first whether it is the wall's own
// answer, then by what was missing, then by type and message.
func (o *observer) exceptionClass(f fault) class {
	if c := o.wallClass(f); c != "" {
		return c
	}
	if c := o.namedClass(f); c != "" {
		return c
	}
	for _, rule := range rules {
		if !rule.fits(f.kind, f.message) {
			continue
		}
		if rule.class == classProcesses && waits(f) {
			return classBlocked
		}
		if rule.class == classThousands && !separated(failingValue(f)) {
			return classMixed
		}
		if rule.class == classModule && f.kind == "ModuleNotFoundError" && o.online(f.name) {
			return classOnline
		}
		return rule.class
	}
	return o.lastClass(f)
}

// waits tells a read, write or lock that did not want to wait from a process that
// could not start: the kernel has one error for both.
func waits(f fault) bool {
	if f.kind != "BlockingIOError" {
		return false
	}
	for _, call := range []string{"read(", "readline(", "write(", "recv(", "send(", "sendall(", "flock(", "lockf(", "accept("} {
		if strings.Contains(f.line, call) {
			return true
		}
	}
	return false
}

// refusedClass tells code that is no proper text from code that does what is
// not allowed.
func (o *observer) refusedClass() class {
	r := o.in.Result
	said := ""
	if r.Error != nil {
		said = r.Error.Message
	}
	found := o.refusals()
	if len(found) > 0 && found[0].Rule == "syntax" { // nothing stands behind it
		return classSyntax
	}
	for _, f := range found {
		switch f.Rule {
		case "code_size", "encoding", "coding_cookie", "nul_byte":
			said += " " + f.Rule
		case "blocked":
			return classForbidden
		default:
			return classRefused
		}
	}
	if strings.Contains(strings.ToLower(said), "nul") {
		return classNUL
	}
	return classRejected
}

func crashClass(cause cellwall.Cause) class {
	switch {
	case strings.HasPrefix(string(cause), string(cellwall.CauseExit)):
		return classExit
	case strings.HasPrefix(string(cause), string(cellwall.CauseProtocol)):
		return classProtocol
	case detail(cause) == "SIGBUS":
		return classMapped
	}
	return classCrashed
}

// namedClass decides where the missing name tells more than the type.
func (o *observer) namedClass(f fault) class {
	if needed(f.message, f.kind) != "" {
		return classModule
	}
	switch f.kind {
	case "KeyError":
		return o.keyClass(f)
	case "AttributeError":
		if _, ok := replacement(f); ok {
			return classRemoved
		}
		if strings.Contains(f.message, "'NoneType' object") {
			return classNone
		}
		if c := accessorClass(f.message); c != "" {
			return c
		}
		if onTable(f.message) && len(closest(f.name, f.columns)) > 0 {
			return classColumn
		}
		if f.name == "" && !strings.Contains(f.message, "attribute") {
			return "" // a sentence of its own
		}
		return classAttribute
	case "TypeError", "ValueError":
		if _, ok := replacement(f); ok {
			return classRemoved
		}
	case "FileNotFoundError":
		return absentClass(f)
	case "AssertionError":
		if strings.Contains(f.line, "os.system(") {
			return classShell
		}
	}
	return ""
}

// lastClass decides what no rule knows.
func (o *observer) lastClass(f fault) class {
	switch {
	case f.kind == "PermissionError" && strings.Contains(f.message, "[Errno 1]"),
		f.kind == "OSError" && strings.Contains(f.message, "[Errno 22]") && strings.Contains(f.line, "chown("):
		return classRights
	case f.kind == "PermissionError":
		return classReadOnly
	}
	return classOther
}

// keyClass tells a column from the key of a dict: a table stands on the
// failing line, or the name is close to a column.
func (o *observer) keyClass(f fault) class {
	columns := f.columns
	if o.wantsTable(f) {
		return classTable
	}
	if len(columns) == 0 {
		return classKey
	}
	if _, err := strconv.ParseFloat(f.name, 64); err == nil && !slices.Contains(columns, f.name) {
		return classKey // the label of a row, or a key of a dict
	}
	if len(closest(f.name, columns)) > 0 || o.tableOn(f.line) {
		return classColumn
	}
	for _, call := range []string{"groupby", "sort_values", "merge", "pivot", "set_index", "drop(", ".loc", ".agg"} {
		if strings.Contains(f.line, call) {
			return classColumn
		}
	}
	for _, text := range []string{"not in index", "are in the [columns]", "not found in axis", "Column not found"} {
		if strings.Contains(f.message, text) {
			return classColumn
		}
	}
	return classKey
}

func onTable(message string) bool {
	for _, t := range []string{"'DataFrame'", "'Series'", "'DataFrameGroupBy'", "'SeriesGroupBy'"} {
		if strings.Contains(message, t) {
			return true
		}
	}
	return false
}

// failingLine returns the source of the deepest frame of a traceback: the line
// after the last one that names a file.
func failingLine(trace string) string {
	at := strings.LastIndex(trace, "\n  File \"")
	if strings.HasPrefix(trace, "  File \"") && at < 0 {
		at = 0
	}
	if at < 0 {
		return ""
	}
	_, rest, ok := strings.Cut(trace[at+1:], "\n")
	if !ok {
		return ""
	}
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line)
}

// markedLine returns the line of an excerpt that the driver marked: "> 3 | …".
func markedLine(excerpt string) string {
	for line := range strings.SplitSeq(excerpt, "\n") {
		if marked, ok := strings.CutPrefix(line, ">"); ok {
			_, code, _ := strings.Cut(marked, "|")
			return strings.TrimSpace(code)
		}
	}
	return ""
}

func head(s string, n int) string { return strings.ToValidUTF8(s[:min(len(s), n)], "") }

func tail(s string, n int) string { return strings.ToValidUTF8(s[len(s)-min(len(s), n):], "") }
