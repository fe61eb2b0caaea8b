package main

import (
	"fmt"

	"github.com/cellwall/cellwall"
)

// maxReaderWarnings are said of all files of a run together: inspect has the rest.
const maxReaderWarnings = 8

// summarizeData says what the reader noticed of the files. All of it comes from a
// sandbox.
func (p *program) summarizeData(mark color, r *cellwall.Result) {
	said, more := 0, 0
	for _, d := range r.Datasets {
		for _, w := range d.Warnings {
			if said == maxReaderWarnings {
				more++
				continue
			}
			said++
			p.stderr.say(mark, "data: ", oneLine(d.Name)+": "+cutLine(w, 300))
		}
	}
	if more > 0 {
		p.stderr.say(mark, "data: ", fmt.Sprintf("… %d more of that; cellwall inspect FILE says all", more))
	}
}
