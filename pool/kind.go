package pool

import (
	"strings"

	"github.com/cellwall/cellwall"
)

// Kind is what sandboxes of one pool have in common. Two Specs of one Kind can
// be served by the same sandbox after Bind.
type Kind struct {
	Environment string // Environment.Ref
	Home        string
	Users       string // comma separated
	Shell, Tty  bool
	Session     bool
	Degraded    bool // opened although a protection is missing
	Class       cellwall.Limits
}

// KindOf returns the kind of sandbox that serves spec, opened with the class.
func KindOf(spec cellwall.Spec, class cellwall.Limits) Kind {
	return Kind{
		Environment: spec.Environment.Ref(), Home: spec.Home,
		Users: strings.Join(spec.Users, ","), Shell: spec.Shell, Tty: spec.Tty, Session: spec.Session,
		Degraded: spec.AllowDegraded, Class: class,
	}
}

// ahead returns the Spec that opens a sandbox of spec's kind for nobody in
// particular: no identity, no inputs, the class's limits. A template says whose
// it is.
func ahead(spec cellwall.Spec, class cellwall.Limits) cellwall.Spec {
	tenant := ""
	if spec.Template != "" {
		tenant = spec.Identity.Tenant
	}
	spec.Identity = cellwall.Identity{Tenant: tenant}
	spec.Inputs = nil
	spec.Limits, spec.Precedence = class, cellwall.Even
	return spec
}

// Class returns the limits that sandboxes of a class are opened with. What is
// enforced for each run and not by the wall – time, output, artifacts, rows –
// is opened as wide as it can be, so that it never decides whether a ready
// sandbox fits.
func Class(wall cellwall.Limits) cellwall.Limits {
	c := cellwall.MaxLimits()
	c.MemoryBytes, c.CPUs, c.Processes = wall.MemoryBytes, wall.CPUs, wall.Processes
	c.WorkspaceBytes, c.WorkspaceInodes = wall.WorkspaceBytes, wall.WorkspaceInodes
	c.TmpBytes, c.TmpInodes = wall.TmpBytes, wall.TmpInodes
	c.InputBytes = wall.InputBytes
	c.CheckpointBytes = wall.CheckpointBytes
	return c
}

// fits reports whether a sandbox opened with class can serve want after Bind.
// Memory, processor and processes can be narrowed, and a smaller sum of inputs has
// room in a larger file system; the sizes of those that it writes are fixed
// when it is opened.
func fits(want, class cellwall.Limits) bool {
	return want.MemoryBytes <= class.MemoryBytes && want.CPUs <= class.CPUs && want.Processes <= class.Processes &&
		want.WorkspaceBytes == class.WorkspaceBytes && want.WorkspaceInodes == class.WorkspaceInodes &&
		want.TmpBytes == class.TmpBytes && want.TmpInodes == class.TmpInodes && want.CheckpointBytes == class.CheckpointBytes && want.InputBytes <= class.InputBytes
}
