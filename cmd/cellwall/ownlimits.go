package main

import (
	"cmp"
	"time"

	"github.com/cellwall/cellwall"
)

// What a program of ours has on large data, where nobody asked for anything else: every
// row of them goes through it. A tenant's ceiling bounds that as well.
const (
	ownLarge   = 16 * cellwall.MiB // of inputs together; the driver reads such a file in steps
	ownTimeout = time.Minute
	ownMemory  = cellwall.GiB
	ownTmp     = 640 * cellwall.MiB // a file in another encoding is written anew there
)

// ownLimits are those of a program of ours on inputs: what was asked for stays.
func ownLimits(asked cellwall.Limits, inputs []cellwall.Input) cellwall.Limits {
	asked.Rows = cellwall.MaxLimits().Rows
	var bytes int64
	for _, in := range inputs {
		bytes += in.Size
	}
	if bytes <= ownLarge {
		return asked
	}
	standard := cellwall.DefaultLimits()
	raise(&asked.Timeout, standard.Timeout, ownTimeout)
	raise(&asked.MemoryBytes, standard.MemoryBytes, ownMemory)
	raise(&asked.TmpBytes, standard.TmpBytes, ownTmp)
	return asked
}

// raise puts ours where nobody asked for anything, or only the default was filled in.
func raise[T comparable](asked *T, standard, ours T) {
	var zero T
	if *asked == zero || *asked == standard {
		*asked = ours
	}
}

// insideLimits are those of a query that a program asks for: at least ours, and more
// where the program itself was given more.
func insideLimits(of cellwall.Call) cellwall.Limits {
	l := ownLimits(cellwall.Limits{}, of.Inputs)
	standard := cellwall.DefaultLimits()
	l.Timeout = max(of.Limits.Timeout, cmp.Or(l.Timeout, standard.Timeout))
	l.MemoryBytes = max(of.Limits.MemoryBytes, cmp.Or(l.MemoryBytes, standard.MemoryBytes))
	return l
}
