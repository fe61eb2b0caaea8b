package main

import (
	"log/slog"
	"sync"

	"github.com/cellwall/cellwall/policy"
)

// tenantRules know which rules of their own tenants have.
type tenantRules struct {
	terms func(tenant string) string // the text of them, "" = none
	log   *slog.Logger
	read  sync.Map // id of a tenant → readRules
}

type readRules struct {
	text string
	own  policy.Own
}

// of is what the chain asks: the rules of a tenant for a profile, nil for the
// shipped ones.
func (r *tenantRules) of(tenant string, p policy.Profile) *policy.Set {
	text := r.terms(tenant)
	if text == "" {
		return nil
	}
	if known, ok := r.read.Load(tenant); ok && known.(readRules).text == text {
		return known.(readRules).own[p]
	}
	own, err := policy.ReadOwn(text)
	if err != nil { // they were looked at when they were set
		r.log.Error("read rules", "tenant", tenant, "error", err)
	}
	r.read.Store(tenant, readRules{text, own})
	return own[p]
}
