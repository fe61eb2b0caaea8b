package main

import (
	"fmt"
	"strings"

	"github.com/cellwall/cellwall/cmd/cellwall/notebook"
)

// print says what differs.
func (v *replayVerb) print(p *program, r *replayReport) {
	if r.Environment.Recorded != r.Environment.Now {
		p.stderr.say(plain, "environment: ", "recorded "+r.Environment.Recorded+", now "+r.Environment.Now)
	}
	for _, d := range r.Inputs {
		p.tellDifference(d)
	}
	same, ran := 0, len(r.Cells)
	for _, c := range r.Cells {
		label, mark := "same", green
		switch {
		case c.Skipped:
			label, mark = "was interrupted, and is left out", plain
			ran--
		case c.Same:
			same++
		default:
			label, mark = "differs", red
		}
		if !c.Same || !v.Quiet {
			p.stdout.say(mark, fmt.Sprintf("cell %d %s", c.Cell, label), "")
		}
		for _, d := range c.Differences {
			p.tellDifference(d)
		}
	}
	p.stdout.say(plain, "", fmt.Sprintf("%d of %d cells the same", same, ran))
}

// tellDifference shows both sides, the lines that they share left out.
func (p *program) tellDifference(d notebook.Difference) {
	p.stdout.say(plain, "  ", d.What)
	then, now := strings.Split(d.Recorded, "\n"), strings.Split(d.Now, "\n")
	for len(then) > 1 && len(now) > 1 && then[0] == now[0] {
		then, now = then[1:], now[1:]
	}
	for _, side := range []struct {
		mark  string
		color color
		lines []string
	}{{"  - ", red, then}, {"  + ", green, now}} {
		for _, line := range side.lines[:min(len(side.lines), 10)] {
			p.stdout.say(side.color, side.mark, oneLine(line))
		}
		if len(side.lines) > 10 {
			p.stdout.say(plain, side.mark, fmt.Sprintf("… %d more lines", len(side.lines)-10))
		}
	}
}
