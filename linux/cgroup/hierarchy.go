package cgroup

import (
	"path"
	"slices"
)

// Version says which interface of the kernel holds the controllers.
type Version int

// The versions. None means that no controller can be used at all.
const (
	None Version = 0
	V1   Version = 1
	V2   Version = 2
)

// String returns "none", "v1" or "v2".
func (v Version) String() string {
	switch v {
	case V1:
		return "v1"
	case V2:
		return "v2"
	}
	return "none"
}

// The controllers that Cellwall limits with, and the one that v1 counts
// processor time with.
const (
	Memory  = "memory"
	PIDs    = "pids"
	CPU     = "cpu"
	cpuacct = "cpuacct"
)

// Controller says whether one controller can be used here.
type Controller struct {
	Name   string // Memory, PIDs or CPU
	OK     bool
	Base   string // directory below which groups are made, "" when not OK
	Reason string // why not OK
	Hint   string // what a person can do about it
}

// Hierarchy is where groups can be made on this host by this process.
type Hierarchy struct {
	Version     Version
	Controllers []Controller // Memory, PIDs, CPU, in this order

	trees   []tree
	freezer *tree // of version 2, where version 1 limits: see Group.Freeze
}

// all is every tree that an instance may be in, the freezer's last.
func (h Hierarchy) all() []tree {
	if h.freezer == nil {
		return h.trees
	}
	return append(slices.Clone(h.trees), *h.freezer)
}

// tree is one mounted hierarchy in which a base was found.
type tree struct {
	mount       mount
	base        string   // cgroup path of the base, "/" is the root as we see it
	controllers []string // those of ours that live here
}

// dir is the base as a directory of the file system.
func (t tree) dir() string { return t.mount.dir(t.base) }

// Controller returns what is known of one controller.
func (h Hierarchy) Controller(name string) Controller {
	for _, c := range h.Controllers {
		if c.Name == name {
			return c
		}
	}
	return Controller{Name: name, Reason: "unknown controller"}
}

// Usable reports whether memory, pids and cpu can all be limited.
func (h Hierarchy) Usable() bool {
	for _, name := range []string{Memory, PIDs, CPU} {
		if !h.Controller(name).OK {
			return false
		}
	}
	return true
}

// treeOf returns the index of the tree that has the controller, or -1.
func (h Hierarchy) treeOf(controller string) int {
	return slices.IndexFunc(h.trees, func(t tree) bool {
		return slices.Contains(t.controllers, controller)
	})
}

// home is the parent of all instances, relative to a base.
const home = "cellwall"

// selfLeaf is where a delegated v2 base puts the processes it was born with:
// version 2 allows controllers below a group only when none live in it.
const selfLeaf = "cellwall.self"

// instancePath is the cgroup path of an instance in t.
func (t tree) instancePath(instance string) string { return path.Join(t.base, home, instance) }
