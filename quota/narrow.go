package quota

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// Narrow fills what a request leaves open from the terms of its tenant, and
// refuses with CodeForbidden what is more than they allow. Of the profile it
// decides nothing: package policy knows which one is stricter.
func (d *Desk) Narrow(req *cellwall.Request) error {
	t, err := d.working(req.Identity.Tenant)
	if err != nil {
		return err
	}
	local := t.ID == cellwall.LocalTenant
	req.Language = cmp.Or(req.Language, t.Terms.Language)
	if req.AllowDegraded && !local {
		return forbidden("allow_degraded", "only the operator may do without a protection")
	}
	if !local || t.Terms.Backends != nil {
		if err := choose("backend", &req.Backend, d.opts.Backend, cmp.Or(strings.Join(t.Terms.Backends, " "), d.opts.Backend)); err != nil {
			return err
		}
	}
	if t.Terms.Environments != nil {
		if err := choose("environment", &req.Environment, d.opts.Environment, strings.Join(t.Terms.Environments, " ")); err != nil {
			return err
		}
	}
	return narrowLimits(&req.Limits, t.Terms.Default.WithDefaults(), &t.Terms.Ceiling)
}

// NarrowOwn is Narrow for a program of ours: what is above a ceiling of the tenant's is cut
// to it, because the caller has not asked for it.
func (d *Desk) NarrowOwn(req *cellwall.Request) error {
	t, err := d.working(req.Identity.Tenant)
	if err != nil {
		return err
	}
	l, ceiling := &req.Limits, &t.Terms.Ceiling
	cut(&l.Timeout, ceiling.Timeout)
	cut(&l.MemoryBytes, ceiling.MemoryBytes)
	cut(&l.TmpBytes, ceiling.TmpBytes)
	return d.Narrow(req)
}

// cut holds a limit to a ceiling; zero is none.
func cut[T cmp.Ordered](asked *T, ceiling T) {
	var zero T
	if ceiling != zero {
		*asked = min(*asked, ceiling)
	}
}

// choose fills or checks a name. Allowed holds the names between spaces; the
// default is chosen when it is one of them, else the first.
func choose(field string, name *string, standard, allowed string) error {
	names := strings.Fields(allowed)
	switch {
	case *name == "" && (slices.Contains(names, standard) || len(names) == 0):
		*name = standard
	case *name == "":
		*name = names[0]
	case !slices.Contains(names, *name):
		return forbidden(field, fmt.Sprintf("%q is not among those of the tenant: %s", *name, strings.Join(names, ", ")))
	}
	return nil
}

// narrowLimits fills zero fields with the default, as far as the ceiling allows,
// and refuses the others above it. A ceiling of zero is none.
func narrowLimits(l *cellwall.Limits, standard cellwall.Limits, ceiling *cellwall.Limits) error {
	s, c := &standard, ceiling
	return cmp.Or(
		narrow("timeout", &l.Timeout, s.Timeout, c.Timeout),
		narrow("memory_bytes", &l.MemoryBytes, s.MemoryBytes, c.MemoryBytes),
		narrow("cpus", &l.CPUs, s.CPUs, c.CPUs),
		narrow("processes", &l.Processes, s.Processes, c.Processes),
		narrow("output_keep_bytes", &l.OutputKeepBytes, s.OutputKeepBytes, c.OutputKeepBytes),
		narrow("output_log_bytes", &l.OutputLogBytes, s.OutputLogBytes, c.OutputLogBytes),
		narrow("output_bytes", &l.OutputBytes, s.OutputBytes, c.OutputBytes),
		narrow("workspace_bytes", &l.WorkspaceBytes, s.WorkspaceBytes, c.WorkspaceBytes),
		narrow("workspace_inodes", &l.WorkspaceInodes, s.WorkspaceInodes, c.WorkspaceInodes),
		narrow("tmp_bytes", &l.TmpBytes, s.TmpBytes, c.TmpBytes),
		narrow("tmp_inodes", &l.TmpInodes, s.TmpInodes, c.TmpInodes),
		narrow("artifact_bytes", &l.ArtifactBytes, s.ArtifactBytes, c.ArtifactBytes),
		narrow("artifact_total_bytes", &l.ArtifactTotalBytes, s.ArtifactTotalBytes, c.ArtifactTotalBytes),
		narrow("artifacts", &l.Artifacts, s.Artifacts, c.Artifacts),
		narrow("input_bytes", &l.InputBytes, s.InputBytes, c.InputBytes),
		narrow("rows", &l.Rows, s.Rows, c.Rows),
		narrow("checkpoints", &l.Checkpoints, s.Checkpoints, c.Checkpoints),
		narrow("checkpoint_bytes", &l.CheckpointBytes, s.CheckpointBytes, c.CheckpointBytes),
	)
}

// narrow is one field of it.
func narrow[T cmp.Ordered](name string, asked *T, standard, ceiling T) error {
	var zero T
	switch {
	case *asked == zero && ceiling != zero:
		*asked = min(standard, ceiling)
	case *asked == zero:
		*asked = standard
	case ceiling != zero && *asked > ceiling:
		return forbidden(name, fmt.Sprintf("%v is more than the %v of the tenant", *asked, ceiling))
	}
	return nil
}

func forbidden(field, why string) error {
	return &cellwall.Error{
		Code: cellwall.CodeForbidden, Op: "choose " + field, Err: fmt.Errorf("%s", why),
		Hint: "ask for less, or leave " + field + " out",
	}
}
