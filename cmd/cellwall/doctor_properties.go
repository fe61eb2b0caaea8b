package main

import (
	"fmt"
	"strings"

	"github.com/cellwall/cellwall"
)

// byConstruction is the state of a property that rests on nothing of the host:
// doctor cannot see it fail, only its test can.
const byConstruction cellwall.Enforcement = "by construction"

// notKnown is the state of a property of a backend that could not be asked.
const notKnown cellwall.Enforcement = "not known"

// property is one of the 24 of docs/THREATS.md, as it stands on this host.
type property struct {
	ID     string               `json:"id"`
	Name   string               `json:"name"`
	State  cellwall.Enforcement `json:"state"` // byConstruction and notKnown, too
	Detail string               `json:"detail"`
	Proof  string               `json:"proof,omitempty"` // the test or row that would fail, when by construction
	Hint   string               `json:"hint,omitempty"`
}

// promise is one line of properties.
type promise struct {
	id, name string
	needs    []string // protections of the host that it rests on
	proof    string   // without needs: the test, or row of the corpus, that fails when it does not hold
}

// properties are what is promised, and the protections of a host that each rests
// on. One without needs holds wherever the program runs, or nowhere.
var properties = []promise{
	{id: "P1", name: "checks of the language are advice, never the boundary", needs: []string{"syscall_filter", "file_isolation"}},
	{id: "P2", name: "nothing of a user runs before the wall stands", needs: []string{"syscall_filter"}},
	{id: "P3", name: "what is missing refuses", proof: "TestLimitWithoutControllerIsRefused"},
	{id: "P4", name: "policy comes from the host", proof: "TestRun_bad_requests"},
	{id: "P5", name: "no name of a sandbox is resolved by path", needs: []string{"safe_harvest", "certain_end"}},
	{id: "P6", name: "no archive is unpacked on the host", proof: "TestM14_TypesAreDecidedByContent"},
	{id: "P7", name: "bytes from inside are data", proof: "TestMerge_refuses_what_breaks_a_bound"},
	{id: "P8", name: "the verdict is the kernel's", needs: []string{"certain_end", "memory_limit", "process_limit"}},
	{id: "P9", name: "what is shown is escaped", proof: "TestO112_TerminalTextCannotActOnATerminal"},
	{id: "P10", name: "output is capped while it is read", proof: "TestM15_output_keeps_head_and_tail_and_counts_everything"},
	{id: "P11", name: "every process dies with its run", needs: []string{"process_isolation", "certain_end"}},
	{id: "P12", name: "nothing writable outlives a run", needs: []string{"file_isolation", "ipc_isolation"}},
	{id: "P13", name: "no network", needs: []string{"network_off", "syscall_filter"}},
	{id: "P14", name: "nothing is inherited", needs: []string{"process_isolation", "file_isolation", "host_name_isolation", "cgroup_isolation"}},
	{id: "P15", name: "every resource has a cap", needs: []string{"memory_limit", "process_limit", "cpu_limit", "file_isolation"}},
	{id: "P16", name: "system calls by allow-list, native ABI", needs: []string{"syscall_filter"}},
	{id: "P17", name: "no power inside", needs: []string{"user_namespace", "own_uid", "syscall_filter"}},
	{id: "P18", name: "read-only minimal root", needs: []string{"file_isolation", "process_isolation"}},
	{id: "P19", name: "ids are not authority", proof: "TestStore_gives_back_what_was_put_to_its_tenant_only"},
	{id: "P20", name: "the zygote is nobody's but the warden's", needs: []string{"process_isolation"}},
	{id: "P21", name: "generators are reseeded", proof: "D93"},
	{id: "P22", name: "checker and executor read one text", proof: "TestCheckSource"},
	{id: "P23", name: "kernel bugs out of reach before their patch", needs: []string{"syscall_filter"}},
	{id: "P24", name: "a refusal has a name", needs: []string{"refused_calls_named"}},
}

// propertiesOf says how each property stands, given what a backend reports: as
// its weakest protection does. One that the backend does not report is missing; of
// one that does not open nothing is known.
// What rests on none is not called enforced: no report could say otherwise.
func propertiesOf(r cellwall.Report) []property {
	reported := make(map[string]cellwall.Protection)
	for _, p := range r.Protections {
		reported[p.Name] = p
	}
	all := make([]property, 0, len(properties))
	for _, want := range properties {
		if len(want.needs) == 0 {
			all = append(all, property{ID: want.id, Name: want.name, State: byConstruction, Proof: want.proof, Detail: "proved by " + want.proof})
			continue
		}
		if unasked(r) {
			all = append(all, property{ID: want.id, Name: want.name, State: notKnown, Detail: "the backend does not open"})
			continue
		}
		got := property{ID: want.id, Name: want.name, State: cellwall.Enforced, Detail: "rests on " + strings.Join(want.needs, ", ")}
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
