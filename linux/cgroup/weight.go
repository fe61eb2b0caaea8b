package cgroup

import (
	"fmt"
	"strconv"
)

// Weights of groups.
const (
	FullWeight = 1024            // that a group has when it is made
	MostWeight = 64 * FullWeight // version 2 knows no more than 100 times the weight of a new group
)

// SetWeight says how the group shares processors with the other groups of its
// instance when there are too few: in proportion to their weights, 2 to
// [MostWeight]. All groups together weigh what they did beside who stands outside the
// instance, but on each processor in proportion to the weights of who runs there.
func (g *Group) SetWeight(weight int) error {
	if weight < 2 || weight > MostWeight {
		return fmt.Errorf("set weight: %d is outside 2 to %d", weight, MostWeight)
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
