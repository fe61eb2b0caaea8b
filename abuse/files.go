package abuse

// files returns the cases.
func files() []Case { return nil }

