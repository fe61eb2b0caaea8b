package cellwall_test

import (
	"slices"
	"strings"
)

const (
	module   = "github.com/cellwall/cellwall"
	maxLines = 600
)

// room is one line of the import table. Every room may import internal/…, and
// its test files also abuse and backend/backendtest.
type room struct {
	dir      string   // its folder; "x/*" stands for every folder below x
	root     bool     // may import the root package
	rooms    []string // further rooms it may import; "x/*" as above, "*" all
	standard bool     // the standard library only, besides
	tests    bool     // may import testing: it exists for tests
	inTests  []string // further rooms of its test files
	why      string
}

// rooms is the import table: everything points at the root, nothing points
// sideways, only cmd knows everyone. The first line that matches counts.
var rooms = []room{
	{dir: ".", standard: true, why: "the language performs no I/O and depends on nobody"},
	{dir: "cmd/*", root: true, rooms: []string{"*"}, why: "cmd wires everyone"},

	{dir: "controller", root: true, why: star},
	{dir: "session", root: true, why: star},
	{dir: "policy", root: true, rooms: []string{"policy/*"}, why: star},
	{dir: "policy/*", root: true, rooms: []string{"policy/*"}, why: star},
	{dir: "quota", root: true, why: star},
	{dir: "pool", root: true, why: star},
	{dir: "prepared", root: true, why: star},
	{dir: "observe", root: true, why: star},
	{dir: "dataset", root: true, why: star},
	{dir: "fetch", root: true, why: star},
	{dir: "connect", root: true, why: star},
	{dir: "artifact", root: true, why: star},
	{dir: "audit", root: true, why: star},
	{dir: "tools", root: true, why: star},
	{dir: "agent", root: true, rooms: []string{"tools"}, why: star},
	{dir: "environment", root: true, why: star},
	{dir: "environments", standard: true, why: "declarations and locks are data"},
	{dir: "api", root: true, rooms: []string{"api/*"}, why: star},
	{dir: "api/apitest", root: true, tests: true, rooms: []string{
		"api", "controller", "session", "pool", "quota", "observe", "dataset", "artifact", "audit", "rating", "tools", "store", "store/*",
		"environment", "environments", "backend/native", "linux/probe",
	}, why: "the tests of api drive the rooms behind it"},
	{dir: "api/*", root: true, rooms: []string{"api/*"}, why: star},
	{dir: "mcp", root: true, rooms: []string{"tools"}, why: star},
	{dir: "console", root: true, why: star},
	{dir: "store", root: true, rooms: []string{"store/*"}, why: star},
	{dir: "store/*", root: true, rooms: []string{"store/*"}, why: star},
	{dir: "rating", root: true, why: star},
	{dir: "queue", root: true, why: star},
	{dir: "notify", root: true, why: star},
	{dir: "telemetry", root: true, why: star},
	{dir: "cluster", root: true, why: star},

	{dir: "backend/backendtest", root: true, tests: true, why: "the contract drives the rooms, never a backend", rooms: []string{
		"controller", "session", "pool", "prepared", "policy", "observe", "dataset", "artifact", "audit", "abuse", "pentest", "linux/*",
	}, inTests: append([]string{"backend/native"}, built...)},
	{dir: "backend/native", root: true, rooms: []string{"guest", "linux/*"}, inTests: built, why: backend},
	{dir: "backend/gvisor", root: true, rooms: []string{"guest", "linux/*"}, inTests: built, why: backend},
	{dir: "backend/*", root: true, rooms: []string{"guest"}, inTests: built, why: backend},

	{dir: "abuse", root: true, why: "the corpus is data"},
	{dir: "pentest", root: true, rooms: []string{"abuse"}, inTests: built, why: "it runs and judges the corpus, on whatever it is handed"},
	{dir: "guest", standard: true, why: "the protocol depends on nobody"},
	{dir: "guest/*", standard: true, why: "the protocol depends on nobody"},
	{dir: "linux/*", rooms: []string{"linux/*"}, why: "a facility knows the kernel and not the product"},
	{dir: "internal/testkit", standard: true, tests: true, why: "small packages named for what they do"},
	{dir: "internal/*", standard: true, why: "small packages named for what they do"},
	{dir: "examples/*", root: true, rooms: []string{"*"}, why: "an example shows what a caller may do"},
}

const (
	star    = "rooms import the root and never each other; cmd wires them"
	backend = "a backend never knows another one"
)

// built is what tests need that run something real: an environment that
// stands, and the shape of the pool that backendtest puts around a backend.
var built = []string{"environment", "environments", "pool"}

func roomOf(dir string) (room, bool) {
	for _, r := range rooms {
		if matches(r.dir, dir) {
			return r, true
		}
	}
	return room{}, false
}

// allows reports whether a file of dir may import the package imported, a path
// below the module.
func (r room) allows(dir, imported string, test bool) bool {
	if imported == dir || strings.HasPrefix(imported, "internal/") {
		return true
	}
	if test && (imported == "abuse" || imported == "backend/backendtest") {
		return true
	}
	allowed := r.rooms
	if test {
		allowed = slices.Concat(r.rooms, r.inTests)
	}
	for _, pattern := range allowed {
		if matches(pattern, imported) {
			return true
		}
	}
	return false
}

func matches(pattern, dir string) bool {
	if pattern == "*" {
		return true
	}
	below, wild := strings.CutSuffix(pattern, "/*")
	if wild {
		return strings.HasPrefix(dir, below+"/")
	}
	return pattern == dir
}
