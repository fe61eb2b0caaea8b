package mask

// The kinds that are found without being asked for. Others are the names of the
// caller's patterns.
const (
	Phone = "phone"
	ID    = "id"
	Card  = "card"
	Email = "email"
)

// Counts says how many of each kind were masked. What was masked is nowhere kept.
type Counts = map[string]int
