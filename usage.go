package cellwall

import "time"

// UsageRow is what one subject of a tenant used in one hour.
type UsageRow struct {
	Tenant     string    `json:"tenant"`
	Subject    string    `json:"subject"` // "" = calls that named none
	Hour       time.Time `json:"hour"`    // its beginning, UTC
	Executions int64     `json:"executions"`
	Refused    int64     `json:"refused"`
	WallMS     float64   `json:"wall_ms"`
	CPUMS      float64   `json:"cpu_ms"` // of executions, and what sessions used between their cells
	Bytes      int64     `json:"bytes"`  // stored as datasets, artifacts and Results
	TokenCost  float64   `json:"token_cost"`
}

// BudgetRow is what one subject of a tenant, or the tenant itself, used of its
// budget in the period that goes on.
type BudgetRow struct {
	Tenant  string
	Subject string // "" = the tenant's own
	Used    Budget // Failures and SameError of the row that goes on
	Class   string // of the error that SameError counts
	Since   time.Time
}
