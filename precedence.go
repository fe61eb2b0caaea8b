package cellwall

// Precedence is how an execution stands beside those of other tenants where there
// is not enough for all of them at once. It changes who is served first, and never
// what anyone is given in the end.
type Precedence int

// The three. A tenant whose executions come one by one goes before those of a
// tenant that has many here.
const (
	Even   Precedence = iota // no tenant has many here, or only one is here at all
	Before                   // it is its tenant's only one here, and another has many
	Behind                   // its tenant has many here, and others are here
)
