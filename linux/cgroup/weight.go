package cgroup

import (
	"fmt"
	"strconv"
)

// FullWeight is the weight that a group has when it is made.
const FullWeight = 1024

// SetWeight says how the group shares processors with the other groups of its
// instance when there are too few: in proportion to their weights, 2 to
// [FullWeight]. It changes nothing for who stands outside the instance.
func (g *Group) SetWeight(weight int) error {
	if weight < 2 || weight > FullWeight {
		return fmt.Errorf("set weight: %d is outside 2 to %d", weight, FullWeight)
	}
	if c := g.inst.h.Controller(CPU); !c.OK {
		return &ControllerError{Controller: c.Name, Reason: c.Reason, Hint: c.Hint}
	}
	if g.inst.h.Version == V2 {
		// 100 is what a group of version 2 has when it is made.
		return g.at(CPU).write(g.name+"/cpu.weight", strconv.Itoa(max(1, weight*100/FullWeight)))
	}
	return g.at(CPU).writeInt(g.name+"/cpu.shares", int64(weight))
}
