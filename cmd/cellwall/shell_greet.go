package main

import (
	"fmt"

	"github.com/cellwall/cellwall"
)

// greet says what session this is.
func (s *shell) greet(req cellwall.Request) {
	if !s.p.stderr.terminal {
		s.degraded()
		return
	}
	l := req.Limits.WithDefaults()
	s.p.stderr.say(faint, "cellwall: ", fmt.Sprintf("%s · %s, %v a cell · network none · :help", req.Environment, formatSize(l.MemoryBytes), l.Timeout))
	s.degraded()
	if r := s.session.began; r != nil {
		for _, d := range r.Datasets {
			s.p.stderr.say(faint, "data: ", fmt.Sprintf("%s, %s", d.Name, rows(d.Rows, d.RowsGiven)))
		}
		s.p.summarizeData(faint, r)
		if !r.OK {
			s.p.stderr.say(red, string(r.Status), causeOf(r)+": there is no df")
		}
	}
}

func (s *shell) degraded() {
	if r := s.session.began; r != nil {
		for _, name := range r.Boundary.Degraded {
			s.p.stderr.say(red, "degraded: ", name+" is not enforced")
		}
	}
}
