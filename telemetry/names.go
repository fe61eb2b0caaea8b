package telemetry

import (
	"net/http"
	"strings"
	"sync"

	"github.com/cellwall/cellwall"
)

// other is the label of everything that has none of its own.
const other = "other"

// names are the values that a label may have: the first ones that come, up to a
// bound.
type names struct {
	most int

	mu    sync.RWMutex
	known map[string]struct{}
}

func newNames(most int) *names { return &names{most: most, known: map[string]struct{}{}} }

// bounded returns name, or other when there are too many already.
func (n *names) bounded(name string) string {
	n.mu.RLock()
	_, known := n.known[name]
	n.mu.RUnlock()
	if known {
		return name
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, known := n.known[name]; !known && len(n.known) >= n.most {
		return other
	}
	n.known[name] = struct{}{}
	return name
}

// bareCall is the name of a system call without the argument that decided, which
// the code chose: "socket" of "socket(AF_INET)". A call without a name, and what
// is no name of a call, are other.
func bareCall(call string) string {
	name, _, _ := strings.Cut(call, "(")
	if name == "" || len(name) > 32 || strings.HasPrefix(name, "syscall_") || strings.Trim(name, callCharacters) != "" {
		return other
	}
	return name
}

const callCharacters = "abcdefghijklmnopqrstuvwxyz0123456789_"

// bareCause is a cause without the status or signal that the code chose: "exit" of
// "exit:7".
func bareCause(cause cellwall.Cause) string {
	if cause == cellwall.CauseNone {
		return "none"
	}
	bare, _, _ := strings.Cut(string(cause), ":")
	return bare
}

// knownMethod is a method of HTTP; what else a client may write there is other.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return other
}

// class is "2xx" of 200.
func class(status int) string {
	if status < 100 || status > 599 {
		return other
	}
	return [...]string{"1xx", "2xx", "3xx", "4xx", "5xx"}[status/100-1]
}
