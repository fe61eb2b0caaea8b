//go:build !cellwall_weaken

package native

// without reports whether a protection is taken away. Nothing can in what is
// shipped: weaken.go, which only a build with the tag cellwall_weaken has, is how
// tests show that the corpus finds the hole behind each protection.
func without(safeguard) bool { return false }

func weakened(_ string, text []byte) ([]byte, error) { return text, nil }

func wardenEnv() []string { return nil }

func weakness() string { return "" }
