package main

import (
	"context"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/policy"
)

// checkWith is a chain as the controller knows it.
func checkWith(chain *policy.Chain) controller.Checker {
	return func(
		ctx context.Context, req cellwall.Request, env cellwall.Environment, source string,
	) ([]cellwall.Finding, bool, error) {
		findings, verdict, err := chain.Check(ctx, programOf(req, env, source))
		return findings, verdict == policy.Refuse, err
	}
}

// restrictBy is the restricted interpreter of a chain's rules as the controller
// knows it.
func restrictBy(chain *policy.Chain) func(cellwall.Request, cellwall.Environment) *cellwall.Restriction {
	return func(req cellwall.Request, env cellwall.Environment) *cellwall.Restriction {
		return chain.Restriction(programOf(req, env, ""))
	}
}

func programOf(req cellwall.Request, env cellwall.Environment, source string) policy.Program {
	return policy.Program{Source: source, Profile: policy.Profile(req.Profile), Tenant: req.Identity.Tenant, Environment: env}
}
