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
