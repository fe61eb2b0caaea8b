package abuse

// resources returns the cases.
func resources() []Case { return nil }
