package cellwall

import (
	"slices"
	"time"
)

// The scopes of a key.
const (
	ScopeExecute = "execute" // run code; datasets, sessions, artifacts, events of the own tenant
	ScopeAdmin   = "admin"   // keys, webhooks, alert rules, usage of the own tenant; everybody's for the operator
	ScopeAudit   = "audit"   // records and metrics: the own tenant's; everybody's for the operator
)

// Scopes lists every scope.
func Scopes() []string { return []string{ScopeExecute, ScopeAdmin, ScopeAudit} }

// LocalTenant is the operator: the command line, and callers of the Unix
// socket that belong to the same user.
const LocalTenant = "local"

// Identity is on whose behalf something runs. It places and records work; it
// is never authority by itself.
type Identity struct {
	Tenant  string   `json:"tenant"`
	Key     string   `json:"key,omitempty"` // id of the key, never the key
	Subject string   `json:"subject,omitempty"`
	Scopes  []string `json:"-"`
}

// Has reports whether the caller proved this scope.
func (i Identity) Has(scope string) bool { return slices.Contains(i.Scopes, scope) }

// TenantState is what a tenant may do now.
type TenantState string

// The states.
const (
	TenantActive      TenantState = "active"
	TenantQuarantined TenantState = "quarantined" // its runs kept hitting the wall: it reads, and runs nothing
	TenantClosed      TenantState = "closed"      // its keys open nothing
)

// Tenant is somebody the service works for.
type Tenant struct {
	ID      string // tnt_…, or LocalTenant
	Name    string // unique, [a-z0-9-], at most 64 characters
	State   TenantState
	Reason  string // of the state, for people
	Created time.Time
	Terms   Terms
}

// Terms say what a tenant may have. Zero fields mean the service's default,
// and for bounds without one that there is none.
type Terms struct {
	Operator bool // its admin and audit scopes reach every tenant

	Default      Limits            // of a request that asks for none
	Ceiling      Limits            // a request that asks for more is refused
	Environments []string          // nil = every one that is built
	Backends     []string          // nil = the default one
	Profile      string            // the least strict that a request may choose
	Language     string            // of hints: "en" or "zh"
	Archives     bool              // zip, gzip and tar may be artifacts
	Mask         bool              // personal data is masked in what is told and recorded
	MaskPatterns map[string]string // what else is personal: kind to an expression of RE2
	Withhold     map[string]int    // kind to how many of it in what one execution tells are too many to be told even masked
	Rules        string            // rules of the checks of its own, JSON by profile; see package policy
	FetchHosts   []string          // of the web, that files may be fetched from; see package fetch
	Connections  []string          // names of the service's connections that snapshots may be made of

	Rate               Rate // requests
	SubjectRate        Rate // of each subject
	Concurrency        int  // executions that run or wait for their own limit
	SubjectConcurrency int
	Waiting            int // executions in the queue
	Sessions           int // at once
	Background         int // executions of respond-async that are not done

	Approval ApprovalTerms // what waits for a person

	Budget        Budget // in BudgetPeriod
	SubjectBudget Budget
	SessionBudget Budget
	BudgetPeriod  time.Duration // 0 = for ever

	StoreBytes int64         // datasets, artifacts and kept Results together
	Retention  time.Duration // of executions, artifacts and events
}

// Rate is a token bucket: PerSecond on average, Burst at once. The zero value
// means no bound.
type Rate struct {
	PerSecond float64
	Burst     int
}

// Key opens the service. The text that the caller holds is nowhere kept.
type Key struct {
	ID      string // key_…
	Tenant  string // Tenant.ID
	Name    string
	Scopes  []string
	SHA256  [32]byte // of the whole text "e2b_<hex>"
	Created time.Time
	Expires time.Time // zero = never
	Revoked time.Time // zero = not
}
