package quota

import (
	"context"
	"time"

	"github.com/cellwall/cellwall"
)

// Book keeps tenants, keys and what was used. Package store has it.
type Book interface {
	Tenants(context.Context) ([]cellwall.Tenant, error)
	Keys(context.Context) ([]cellwall.Key, error)
	// Revision changes with each change of tenants and keys.
	Revision(context.Context) (int64, error)
	// SaveTenant inserts or replaces by ID. CodeConflict: another one has the name.
	SaveTenant(context.Context, cellwall.Tenant) error
	SaveKey(context.Context, cellwall.Key) error
	// AddUsage adds to the rows of the same tenant, subject and hour.
	AddUsage(context.Context, []cellwall.UsageRow) error
	// Usage returns the rows with from <= Hour < to; tenant "" means everybody.
	Usage(ctx context.Context, tenant string, from, to time.Time) ([]cellwall.UsageRow, error)
	Budgets(context.Context) ([]cellwall.BudgetRow, error)
	// SaveBudgets replaces the rows of the same tenant and subject.
	SaveBudgets(context.Context, []cellwall.BudgetRow) error
}
