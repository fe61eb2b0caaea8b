package api

import (
	"context"
	"time"

	"github.com/cellwall/cellwall"
)

// Lockdowns stop all work and let it begin again. cmd has them.
type Lockdowns interface {
	// Lockdown stops everything before it returns. CodeConflict: it is stopped.
	Lockdown(ctx context.Context, by, why, pattern string) (Lockdown, error)
	Unlock(ctx context.Context, by, why string) (Lockdown, error)
}

// Lockdown is what an operator is told of one.
type Lockdown struct {
	By      string             `json:"by"`
	Why     string             `json:"why"`
	At      time.Time          `json:"at"`
	Tenants []LockdownAffected `json:"tenants" doc:"Whose records match the pattern, or hit the wall"`
}

// LockdownAffected is one tenant whose code is suspect.
type LockdownAffected struct {
	Tenant  string    `json:"tenant"`
	Records int       `json:"records" doc:"Of the last day"`
	Suspect int       `json:"suspect"`
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`
}

func (s *Server) registerLockdown() {
	if s.opts.Lockdowns == nil {
		return
	}
	handle(s, "lockdown", s.lockdown)
	handle(s, "unlock", s.unlock)
}

type lockdownIn struct {
	Body struct {
		Why     string `json:"why" minLength:"1" maxLength:"2000" doc:"What is wrong, for the record"`
		Pattern string `json:"pattern,omitempty" maxLength:"1000" doc:"Code that matches this (RE2) stays refused, also afterwards"`
	}
}

type unlockIn struct {
	Body struct {
		Why string `json:"why" minLength:"1" maxLength:"2000" doc:"Why work may begin again, for the record"`
	}
}

type lockdownOut struct{ Body Lockdown }

func (s *Server) lockdown(ctx context.Context, in *lockdownIn) (*lockdownOut, error) {
	if err := s.operator(ctx); err != nil {
		return nil, err
	}
	l, err := s.opts.Lockdowns.Lockdown(ctx, actor(callerOf(ctx)), in.Body.Why, in.Body.Pattern)
	if err != nil {
		return nil, err
	}
	return &lockdownOut{Body: l}, nil
}

func (s *Server) unlock(ctx context.Context, in *unlockIn) (*lockdownOut, error) {
	if err := s.operator(ctx); err != nil {
		return nil, err
	}
	l, err := s.opts.Lockdowns.Unlock(ctx, actor(callerOf(ctx)), in.Body.Why)
	if err != nil {
		return nil, err
	}
	return &lockdownOut{Body: l}, nil
}

// actor says in a record who did something.
func actor(who cellwall.Identity) string {
	name := who.Tenant
	if who.Key != "" {
		name += " " + who.Key
	}
	if who.Subject != "" {
		name += " for " + who.Subject
	}
	return name
}
