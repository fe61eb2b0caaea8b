package main

import (
	"fmt"
	"strings"

	"github.com/cellwall/cellwall"
)

// property is one of the 24 of docs/THREATS.md, as it stands on this host.
type property struct {
	ID     string               `json:"id"`
	Name   string               `json:"name"`
	State  cellwall.Enforcement `json:"state"`
	Detail string               `json:"detail"`
	Hint   string               `json:"hint,omitempty"`
}

// properties are what is promised, and the protections of a host that each rests
// on. One without needs holds wherever the program runs.
var properties = []struct {
	id, name string
	needs    []string
}{
	{"P1", "checks of the language are advice, never the boundary", []string{"syscall_filter", "file_isolation"}},
	{"P2", "nothing of a user runs before the wall stands", []string{"syscall_filter"}},
	{"P3", "what is missing refuses", nil},
	{"P4", "policy comes from the host", nil},
	{"P5", "no name of a sandbox is resolved by path", []string{"safe_harvest", "certain_end"}},
	{"P6", "no archive is unpacked on the host", nil},
	{"P7", "bytes from inside are data", nil},
	{"P8", "the verdict is the kernel's", []string{"certain_end", "memory_limit", "process_limit"}},
	{"P9", "what is shown is escaped", nil},
	{"P10", "output is capped while it is read", nil},
	{"P11", "every process dies with its run", []string{"process_isolation", "certain_end"}},
	{"P12", "nothing writable outlives a run", []string{"file_isolation", "ipc_isolation"}},
	{"P13", "no network", []string{"network_off", "syscall_filter"}},
	{"P14", "nothing is inherited", []string{"process_isolation", "file_isolation", "host_name_isolation", "cgroup_isolation"}},
	{"P15", "every resource has a cap", []string{"memory_limit", "process_limit", "cpu_limit", "file_isolation"}},
	{"P16", "system calls by allow-list, native ABI", []string{"syscall_filter"}},
	{"P17", "no power inside", []string{"user_namespace", "own_uid", "syscall_filter"}},
	{"P18", "read-only minimal root", []string{"file_isolation", "process_isolation"}},
	{"P19", "ids are not authority", nil},
	{"P20", "the zygote is nobody's but the warden's", []string{"process_isolation"}},
	{"P21", "generators are reseeded", nil},
	{"P22", "checker and executor read one text", nil},
	{"P23", "kernel bugs out of reach before their patch", []string{"syscall_filter"}},
	{"P24", "a refusal has a name", []string{"refused_calls_named"}},
}

// propertiesOf says how each property stands, given what a backend reports: as
// its weakest protection does. One that the backend does not report is missing.
func propertiesOf(r cellwall.Report) []property {
	reported := make(map[string]cellwall.Protection)
	for _, p := range r.Protections {
		reported[p.Name] = p
	}
	all := make([]property, 0, len(properties))
	for _, want := range properties {
		got := property{ID: want.id, Name: want.name, State: cellwall.Enforced, Detail: "by construction"}
		if len(want.needs) > 0 {
			got.Detail = "rests on " + strings.Join(want.needs, ", ")
		}
		var hints, weak []string
		for _, need := range want.needs {
			p, known := reported[need]
			if !known {
				p = cellwall.Protection{State: cellwall.Missing, Hint: fmt.Sprintf("the backend does not report %s", need)}
			}
			if p.State == cellwall.Enforced {
				continue
			}
			if got.State != cellwall.Missing {
				got.State = p.State
			}
			weak = append(weak, need+" is "+string(p.State))
			if p.Hint != "" {
				hints = append(hints, need+": "+p.Hint)
			}
		}
		if len(weak) > 0 {
			got.Detail, got.Hint = strings.Join(weak, ", "), strings.Join(hints, "; ")
		}
		all = append(all, got)
	}
	return all
}
