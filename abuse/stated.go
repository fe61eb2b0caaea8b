package abuse

// Stated is a row of the catalogue that is not run, because what it attempts is
// not prevented.
type Stated struct {
	ID    string
	Title string
	Why   string // and what whoever must prevent it does
}

// NotPromised returns the rows that no wall of this kind holds.
func NotPromised() []Stated {
	return []Stated{{
		ID: "R81", Title: "side channels through caches and contention",
		Why: "runs on one host share its caches, its branch predictors and its memory; whoever must exclude that gives tenants machines of their own",
	}}
}
