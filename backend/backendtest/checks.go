package backendtest

import (
	"context"
	"errors"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/policy"
)

// strictly checks what asks for the profile strict, over the backend itself. Its
// parser is gone when it has answered: the contract counts what is left.
func strictly(backend cellwall.Backend) controller.Checker {
	return func(
		ctx context.Context, req cellwall.Request, env cellwall.Environment, source string,
	) (found []cellwall.Finding, refused bool, err error) {
		if policy.Profile(req.Profile) != policy.Strict {
			return nil, false, nil
		}
		parsers := policy.NewCheckers(policy.CheckersOptions{Open: policy.Behind(backend, req.AllowDegraded)})
		defer func() { err = errors.Join(err, parsers.Close()) }()
		chain, err := policy.New(policy.Options{Parser: parsers})
		if err != nil {
			return nil, false, err
		}
		found, verdict, err := chain.Check(ctx, policy.Program{Source: source, Profile: policy.Strict, Environment: env})
		return found, verdict == policy.Refuse, err
	}
}
