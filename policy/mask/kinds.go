package mask

// Kind is what sort of personal data something is.
type Kind string

// The kinds that are found without being asked for. Others are the names of the
// caller's patterns.
const (
	Phone Kind = "phone"
	ID    Kind = "id"
	Card  Kind = "card"
	Email Kind = "email"
)

// Counts says how many of each kind were masked. What was masked is nowhere kept.
type Counts map[Kind]int
