package cgroup

import "testing"

// BenchmarkGroup is what one sandbox pays for its group, nobody in it: make,
// limit, open to join, read the evidence, remove.
func BenchmarkGroup(b *testing.B) {
	i := newInstance(b, detect(b))
	l := Limits{MemoryBytes: 512 * mib, Processes: 64, CPUs: 1}
	for b.Loop() {
		g, err := i.New("bench", l)
		if err != nil {
			b.Fatal(err)
		}
		if err := g.Remove(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEvidence is Events and Usage once the descriptors are open.
func BenchmarkEvidence(b *testing.B) {
	g := newGroup(b, newInstance(b, detect(b)), "evidence", Limits{MemoryBytes: 512 * mib, Processes: 64, CPUs: 1})
	for b.Loop() {
		if _, err := g.Events(); err != nil {
			b.Fatal(err)
		}
		if _, err := g.Usage(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCPU is what a session pays for each cell so that what ran before it is
// counted: its group rests by then.
func BenchmarkCPU(b *testing.B) {
	g := newGroup(b, newInstance(b, detect(b)), "asked", Limits{Processes: 64})
	for b.Loop() {
		if _, err := g.CPU(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkInside is a thread that joins and leaves by ending, on v1.
func BenchmarkInside(b *testing.B) {
	h := detect(b)
	if h.Version != V1 {
		b.Skip("skip, proof: version 2 clones into a group instead")
	}
	g := newGroup(b, newInstance(b, h), "inside", Limits{MemoryBytes: 512 * mib, Processes: 64, CPUs: 1})
	for b.Loop() {
		if err := g.Inside(func() error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkKill is Kill of an empty group: what every clean end pays.
func BenchmarkKill(b *testing.B) {
	g := newGroup(b, newInstance(b, detect(b)), "kill", Limits{MemoryBytes: 512 * mib, Processes: 64, CPUs: 1})
	for b.Loop() {
		if err := g.Kill(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
