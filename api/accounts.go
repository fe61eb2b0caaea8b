package api

import (
	"context"
	"time"

	"github.com/cellwall/cellwall"
)

// Accounts are the tenants, their keys and what they used. Package quota has it.
// A tenant "" stands for everybody.
type Accounts interface {
	Tenants() []cellwall.Tenant
	Tenant(id string) (cellwall.Tenant, error)
	// AddTenant fails with CodeConflict when the name is there already, unless this id
	// has it: then it is added.
	AddTenant(ctx context.Context, id, name string, terms cellwall.Terms) (cellwall.Tenant, error)
	// ChangeTenant changes state, reason and terms. CodeConflict: its terms are in
	// the service's configuration.
	ChangeTenant(ctx context.Context, id string, change func(*cellwall.Tenant)) (cellwall.Tenant, error)
	Keys(tenant string) []cellwall.Key
	NewKey(ctx context.Context, tenant, name string, scopes []string, expires time.Time) (text string, k cellwall.Key, err error)
	Revoke(ctx context.Context, tenant, id string) error
	// Usage returns the hours that begin from <= hour < to, ordered by tenant, hour
	// and subject.
	Usage(ctx context.Context, tenant string, from, to time.Time) ([]cellwall.UsageRow, error)
}
