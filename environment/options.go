package environment

// Options say how to build. The zero value builds from the host's own
// configuration.
type Options struct {
	Mirror   string   // base address of a Debian mirror; "" = the one apt uses
	Keyring  string   // file that verifies the mirror's index; "" = the host's Debian keyring
	Index    string   // address of a Python package index; "" = the one pip uses
	Offline  bool     // use the cache only
	Force    bool     // build although the environment is there and current
	Progress Progress // nil = silent
}
