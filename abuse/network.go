package abuse

// network returns the cases.
func network() []Case { return nil }
