package main

import (
	"unicode/utf8"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/observe"
)

// unsendable is the Result of code that no request can carry as it is: a byte that
// is no UTF-8 becomes another character in JSON, and another program would run. nil
// = it can be sent. What else is wrong with code the service says.
func unsendable(req cellwall.Request) *cellwall.Result {
	if utf8.ValidString(req.Code) {
		return nil
	}
	r := &cellwall.Result{
		Status: cellwall.StatusRefused, Cause: cellwall.CausePolicy, Findings: controller.Check(req.Code),
		Results: []cellwall.Rich{}, Artifacts: []cellwall.Artifact{}, SkippedArtifacts: []cellwall.SkippedArtifact{},
		Boundary: cellwall.Boundary{Backend: req.Backend, Environment: req.Environment, Network: "none", Degraded: []string{}},
	}
	r.Warnings, r.Observation = observe.Tell(cellwall.Evidence{Result: r, Request: req})
	return r
}
