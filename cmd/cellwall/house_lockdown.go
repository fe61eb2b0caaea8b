package main

import (
	"context"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/controller"
)

// A verb may stand open for hours, as shell and mcp do: it looks whether there is a
// lockdown before each execution, not only when it begins. A service has its gate.

// unlessLocked refuses programs and cells while there is a lockdown.
func (c *config) unlessLocked(check controller.Checker) controller.Checker {
	return func(
		ctx context.Context, req cellwall.Request, env cellwall.Environment, source string,
	) ([]cellwall.Finding, bool, error) {
		if err := c.checkLockdown(); err != nil {
			return nil, false, err
		}
		return check(ctx, req, env, source)
	}
}

// openEnvironments refuse every execution in a fresh sandbox, ours too, which no
// check reads, while there is a lockdown.
type openEnvironments struct {
	*rememberedEnvironments
	config *config
}

// Open is that of the store.
func (e openEnvironments) Open(name string) (cellwall.Environment, error) {
	if err := e.config.checkLockdown(); err != nil {
		return cellwall.Environment{}, err
	}
	return e.rememberedEnvironments.Open(name)
}
