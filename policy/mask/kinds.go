package mask

// The kinds that are found without being asked for. Others are the names of the
// caller's patterns.
const (
	Phone = "phone"
	ID    = "id"
	Card  = "card"
	Email = "email"
)

// kind is one of them, while text is scanned.
type kind uint8

const (
	nothing kind = iota
	aPhone
	anID
	aCard
	anEmail
)

var kindNames = [...]string{aPhone: Phone, anID: ID, aCard: Card, anEmail: Email}

// Counts says how many of each kind were masked. What was masked is nowhere kept.
type Counts = map[string]int
