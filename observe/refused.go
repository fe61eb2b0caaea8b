package observe

import (
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// answers tells of which refused calls an error number can be the answer.
// EPERM and ENOSYS, which any of them can have, are not among them.
var answers = []struct {
	errno string
	calls []string
}{
	{"[Errno 12]", []string{"mmap(", "memfd_create("}},
	{"[Errno 16]", []string{"seccomp("}},
	{"[Errno 22]", []string{"madvise(", "prctl("}},
	{"[Errno 25]", []string{"ioctl("}},
	{"[Errno 92]", []string{"setsockopt(", "getsockopt("}},
	{"[Errno 95]", []string{"sendto(", "recvfrom(", "sendmsg(", "recvmsg("}},
}

// wallClass is the class of an exception that is the wall's answer to a system
// call, "" for others. What is not counted as refused was not the wall.
func (o *observer) wallClass(f fault) class {
	refused := o.in.Refused
	if len(refused) == 0 || !strings.HasSuffix(f.kind, "Error") && f.kind != "error" {
		return ""
	}
	said := func(texts ...string) bool {
		return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(f.message, t) })
	}
	switch {
	case f.kind == "EOFError" && f.message == "":
		return classSyscall // a helper process met the refusal, and died of it
	case said("[Errno 97]") && !slices.ContainsFunc(refused, internet):
		return classSocket
	case said("[Errno 1]", "[Errno 38]"), f.kind == "OSError" && !said("[Errno "):
		if !slices.ContainsFunc(refused, func(r cellwall.Refusal) bool { return !strings.HasPrefix(r.Call, "socket(") }) {
			return classNetwork
		}
		if said("[Errno ") {
			return classSyscall
		}
	}
	for _, a := range answers {
		if said(a.errno) && slices.ContainsFunc(refused, func(r cellwall.Refusal) bool {
			return slices.ContainsFunc(a.calls, func(c string) bool { return strings.HasPrefix(r.Call, c) })
		}) {
			return classSyscall
		}
	}
	return ""
}

// internet reports whether a refused call wanted the network.
func internet(r cellwall.Refusal) bool {
	return strings.HasPrefix(r.Call, "socket(AF_INET")
}

// The words between the exceptions of a chain, as Python prints them.
var chained = []string{
	"\nThe above exception was the direct cause of the following exception:\n",
	"\nDuring handling of the above exception, another exception occurred:\n",
}

// maxCauses bounds how far back a chain is followed.
const maxCauses = 5

// cause looks for what an exception came from that says nothing of its own:
// the newest exception before it whose class is known. Without one f stays.
func (o *observer) cause(f fault) fault {
	rest := f.trace
	for range maxCauses {
		at := max(strings.LastIndex(rest, chained[0]), strings.LastIndex(rest, chained[1]))
		if at < 0 {
			return f
		}
		rest = rest[:at]
		before := f
		before.line = failingLine(newest(rest))
		before.kind, before.message = lastException(rest)
		before.names = missingNames(cellwall.ExecutionError{Message: before.message}, before.kind)
		before.name = ""
		if len(before.names) > 0 {
			before.name = before.names[0]
		}
		if before.class = o.exceptionClass(before); before.class != classOther && before.kind != "" {
			return before
		}
	}
	return f
}

// newest is the last traceback of a chain.
func newest(trace string) string {
	return trace[max(strings.LastIndex(trace, "Traceback (most recent call last):"), 0):]
}

// lastException takes type and message out of the end of a traceback: what
// stands behind its last indented line.
func lastException(trace string) (kind, message string) {
	trace = strings.TrimRight(newest(trace), "\n")
	if at := strings.LastIndex(trace, "\n  "); at >= 0 {
		_, trace, _ = strings.Cut(trace[at+1:], "\n")
	}
	kind, message, _ = strings.Cut(trace, ": ")
	return kind[strings.LastIndexByte(kind, '.')+1:], message
}
