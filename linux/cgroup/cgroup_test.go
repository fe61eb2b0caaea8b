package cgroup

import (
	"context"
	"testing"
)

func TestSmoke(t *testing.T) {
	h, err := Detect()
	t.Logf("%+v %v", h, err)
	i, err := NewInstance(h, "smoke")
	if err != nil {
		t.Fatal(err)
	}
	g, err := i.New("a", Limits{MemoryBytes: 64 << 20, Processes: 10, CPUs: .5})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(g.Events())
	t.Log(g.Usage())
	t.Log(g.SetLimits(Limits{MemoryBytes: 32 << 20}))
	t.Log(g.Populated())
	t.Log(g.Kill(context.Background()))
	t.Log(g.Remove(context.Background()))
	t.Log(i.Notes(), i.Close())
}
