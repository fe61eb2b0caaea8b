package cellwall

// Precedence is how an execution stands beside those of other tenants where there
// is not enough for all of them at once. It changes who is served first, and never
// what anyone is given in the end.
type Precedence int

// The three. The execution of a tenant that comes now and then goes before those of
// one that has many here.
const (
	Even   Precedence = iota
	Before            // it is its tenant's only one here, and another tenant has many
	Behind            // its tenant has many here, and others are here
)
