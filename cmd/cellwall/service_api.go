package main

import (
	"context"
	"sync"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
)

// openAPI puts the HTTP server together from the rooms that stand.
func (s *service) openAPI(context.Context) (err error) {
	o := api.Options{
		Work: cutWork{s.house.controller, s.gate}, Environments: builtEnvironments{s.house.environments}, Recorder: s.records,
		Gate: s.gate.Open, Ready: s.ready, Spool: s.config.inState("spool"), Version: thisBuild().Version, Logger: s.log,
		Functions: servedFunctions{s.house}, Calls: max(leastCalls, s.settings.Connections/4),
	}
	for _, add := range []func(*api.Options){
		s.addDesk, s.addKept, s.addSources, s.addSessions, s.addTools, s.addMCP, s.addApprovals, s.addRatings, s.addNotify, s.addAudit,
		s.addTelemetry,
	} {
		add(&o)
	}
	if s.api, err = api.New(o); err != nil {
		return err
	}
	s.closeAPI = sync.OnceValue(s.api.Close)
	s.undo.Add(s.closeAPI)
	return nil
}

// leastCalls is how many calls a tenant has at once, however few connections there
// may be; else it has a quarter of those.
const leastCalls = 64

// builtEnvironments are those of the state directory.
type builtEnvironments struct{ *rememberedEnvironments }

// Environments lists what is built.
func (b builtEnvironments) Environments(context.Context) ([]cellwall.Environment, error) {
	listed, err := b.store.List()
	if err != nil {
		return nil, err
	}
	var list []cellwall.Environment
	for _, e := range listed {
		if e.Built == nil {
			continue
		}
		env, err := b.Open(e.Name)
		if err != nil {
			return nil, err
		}
		list = append(list, env)
	}
	return list, nil
}
