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
		findings, verdict, err := chain.Check(ctx, policy.Program{
			Source: source, Profile: policy.Profile(req.Profile), Tenant: req.Identity.Tenant, Environment: env,
		})
		return findings, verdict == policy.Refuse, err
	}
}
