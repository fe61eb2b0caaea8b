package cellwall

// Package is one installed distribution of an environment.
type Package struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Environment is an image of interpreter and packages: a read-only root file
// system named by the digest of its manifest.
type Environment struct {
	Name        string    `json:"name"`
	Digest      string    `json:"digest"`      // "sha256:" + hex, see package environment
	Root        string    `json:"root"`        // absolute path of the root file system on this host
	Interpreter string    `json:"interpreter"` // path inside the root, e.g. /usr/bin/python3.13
	Bytes       int64     `json:"bytes"`       // unpacked
	Packages    []Package `json:"packages"`
	WarmUp      []string  `json:"warm_up"` // modules the zygote imports, in order
}

// Ref is "name@digest", the form that results and records carry.
func (e Environment) Ref() string { return e.Name + "@" + e.Digest }
