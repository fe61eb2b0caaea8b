package native

import (
	"context"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/linux/cgroup"
	"github.com/cellwall/cellwall/linux/probe"
)

// probeTimeout bounds one attempt to use a protection: milliseconds, unless the
// host is very busy.
const probeTimeout = 30 * time.Second

// The names of protections that a caller may waive with AllowDegraded.
const (
	MemoryLimit  = "memory_limit"
	ProcessLimit = "process_limit"
	CPULimit     = "cpu_limit"
	OwnUID       = "own_uid"
)

// waivable says how the protections stand without which a wall still isolates.
func (b *Backend) waivable() []cellwall.Protection {
	found := []cellwall.Protection{
		b.limit(MemoryLimit, cgroup.Memory), b.limit(ProcessLimit, cgroup.PIDs), b.limit(CPULimit, cgroup.CPU),
	}
	own := cellwall.Protection{Name: OwnUID, State: cellwall.Enforced, Detail: "a user id per sandbox, of a range per controller"}
	if !b.manyUIDs {
		own = cellwall.Protection{
			Name: OwnUID, State: cellwall.Degraded,
			Detail: fmt.Sprintf("every sandbox runs as your own user, in a user namespace of its own: %v", b.oneUID),
			Hint:   "run as root, on the host or with its ids and CAP_SYS_ADMIN, CAP_SETUID and CAP_SETGID, for a user id per sandbox",
		}
	}
	return append(found, own)
}

func (b *Backend) limit(name, controller string) cellwall.Protection {
	c := b.hierarchy.Controller(controller)
	if c.OK {
		return cellwall.Protection{
			Name: name, State: cellwall.Enforced, Detail: fmt.Sprintf("control group %s, %s", b.hierarchy.Version, controller),
		}
	}
	return cellwall.Protection{Name: name, State: cellwall.Missing, Detail: c.Reason, Hint: c.Hint}
}

// foundations maps what every wall rests on to the facts that give it.
var foundations = []struct {
	name  string
	facts []string
}{
	{"user_namespace", []string{probe.UserNamespace}},
	{"process_isolation", []string{probe.PIDNamespace, probe.ProcMount}},
	{"file_isolation", []string{probe.MountNamespace, probe.TmpfsMount}},
	{"network_off", []string{probe.NetNamespace}},
	{"ipc_isolation", []string{probe.IPCNamespace}},
	{"host_name_isolation", []string{probe.UTSNamespace}},
	{"cgroup_isolation", []string{probe.CgroupNamespace}},
	{"syscall_filter", []string{probe.SeccompFilter}},
	{"refused_calls_named", []string{probe.SeccompNotify}},
	{"certain_end", []string{probe.PidfdOpen, probe.PidfdSignal}},
	{"safe_harvest", []string{probe.Openat2}},
}

// Probe implements cellwall.Backend.
func (b *Backend) Probe(ctx context.Context) cellwall.Report {
	report := cellwall.Report{Backend: Name, Usable: true}
	facts, err := probe.Facts(ctx, probe.Options{Self: b.probe, Timeout: b.probeTimeout})
	if err != nil {
		b.logger.Warn("probe host", "error", err)
	}
	byName := map[string]probe.Fact{}
	for _, f := range facts {
		byName[f.Name] = f
	}
	for _, foundation := range foundations {
		report.Protections = append(report.Protections, protection(foundation.name, foundation.facts, byName))
	}
	report.Protections = append(report.Protections, b.waivable()...)
	for _, p := range report.Protections {
		report.Usable = report.Usable && p.State == cellwall.Enforced
	}
	return report
}

func protection(name string, needs []string, facts map[string]probe.Fact) cellwall.Protection {
	p := cellwall.Protection{Name: name, State: cellwall.Enforced}
	for _, need := range needs {
		fact, known := facts[need]
		if !known || !fact.OK {
			return cellwall.Protection{Name: name, State: cellwall.Missing, Detail: need + ": " + fact.Detail, Hint: fact.Hint}
		}
		if p.Detail != "" {
			p.Detail += ", "
		}
		p.Detail += fact.Mechanism
	}
	return p
}
