package api

import (
	"context"
	"slices"

	"github.com/cellwall/cellwall"
)

// environmentView is an environment without where it is on this host.
type environmentView struct {
	Name     string             `json:"name"`
	Digest   string             `json:"digest"`
	Bytes    int64              `json:"bytes" doc:"Unpacked"`
	Packages []cellwall.Package `json:"packages"`
}

type environmentsOut struct {
	Body struct {
		Items []environmentView `json:"items"`
	}
}

func (s *Server) registerEnvironments() { handle(s, "listEnvironments", s.listEnvironments) }

// listEnvironments gives those that the tenant may use.
func (s *Server) listEnvironments(ctx context.Context, _ *struct{}) (*environmentsOut, error) {
	if s.opts.Environments == nil {
		return nil, notThere("environments")
	}
	terms, err := s.terms(ctx)
	if err != nil {
		return nil, err
	}
	list, err := s.opts.Environments.Environments(ctx)
	if err != nil {
		return nil, err
	}
	out := &environmentsOut{}
	out.Body.Items = []environmentView{}
	for _, e := range list {
		if terms.Environments != nil && !slices.Contains(terms.Environments, e.Name) {
			continue
		}
		packages := e.Packages
		if packages == nil {
			packages = []cellwall.Package{}
		}
		out.Body.Items = append(out.Body.Items, environmentView{e.Name, e.Digest, e.Bytes, packages})
	}
	return out, nil
}

// terms are those of the caller's tenant.
func (s *Server) terms(ctx context.Context) (cellwall.Terms, error) {
	t, err := s.opts.Keys.Tenant(callerOf(ctx).Tenant)
	return t.Terms, err
}
