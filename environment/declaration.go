package environment

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"

	"github.com/pelletier/go-toml/v2"

	"github.com/cellwall/cellwall"
)

// Declaration is what an environment is wanted to be: environment.toml. A
// child's lists are added to its parent's; Load returns them merged.
type Declaration struct {
	Name         string `toml:"name"`
	Summary      string `toml:"summary"` // one line for people
	Parent       string `toml:"parent"`  // "" = none
	Python       string `toml:"python"`  // e.g. "3.13"
	Suite        string `toml:"suite"`   // of Debian, e.g. "trixie"
	Architecture string `toml:"architecture"`

	Debs     []string `toml:"debs"`      // every Debian package: there is no resolver
	Packages []string `toml:"packages"`  // requirements to resolve
	Drop     []string `toml:"drop"`      // resolved, but left out
	OnDemand []string `toml:"on_demand"` // installed into OnDemandDir
	WarmUp   []string `toml:"warm_up"`   // modules the zygote imports, in order
	Bytecode []string `toml:"bytecode"`  // modules compiled although the warm-up does not import them
	Prune    []string `toml:"prune"`     // globs of paths to remove; "**" is any number of directories
	Bound    Bound    `toml:"bound"`

	DebLock    []Deb         `toml:"-"`
	PythonLock []Requirement `toml:"-"`

	digest string
}

// Bound is the size that a root must not exceed, in bytes. A zero field is no
// bound.
type Bound struct {
	Unpacked int64 `toml:"unpacked"`
	Packed   int64 `toml:"packed"`
}

// LockDigest names declaration and locks together: a built environment whose
// Lock differs is stale.
func (d Declaration) LockDigest() string { return d.digest }

var nameForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ValidName reports whether name can name an environment: lower-case words
// joined by hyphens, at most 64 bytes.
func ValidName(name string) bool { return len(name) <= 64 && nameForm.MatchString(name) }

// ParseDeclaration reads environment.toml. It refuses unknown keys.
func ParseDeclaration(raw []byte) (Declaration, error) {
	var d Declaration
	dec := toml.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		var strict *toml.StrictMissingError
		if errors.As(err, &strict) && len(strict.Errors) > 0 {
			return d, fmt.Errorf("parse declaration: unknown key %q", strict.Errors[0].Key())
		}
		return d, fmt.Errorf("parse declaration: %w", err)
	}
	if !ValidName(d.Name) {
		return d, fmt.Errorf("parse declaration: name %q is not lower-case words joined by hyphens", d.Name)
	}
	return d, nil
}

// inherit puts the parent's lists before the child's own.
func (d *Declaration) inherit(p Declaration) {
	for _, v := range []struct{ child, parent *string }{
		{&d.Python, &p.Python}, {&d.Suite, &p.Suite}, {&d.Architecture, &p.Architecture},
	} {
		if *v.child == "" {
			*v.child = *v.parent
		}
	}
	for _, v := range []struct{ child, parent *[]string }{
		{&d.Debs, &p.Debs},
		{&d.Packages, &p.Packages},
		{&d.Drop, &p.Drop},
		{&d.OnDemand, &p.OnDemand},
		{&d.WarmUp, &p.WarmUp},
		{&d.Bytecode, &p.Bytecode},
		{&d.Prune, &p.Prune},
	} {
		*v.child = append(append([]string{}, *v.parent...), *v.child...)
	}
}

func (d Declaration) validate() error {
	var missing string
	switch {
	case d.Python == "":
		missing = "python"
	case d.Suite == "":
		missing = "suite"
	case d.Architecture == "":
		missing = "architecture"
	case len(d.Debs) == 0:
		missing = "debs"
	default:
		return nil
	}
	return &cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: "load environment " + d.Name,
		Err: fmt.Errorf("%s is not set, neither here nor in a parent", missing),
	}
}

// hashParts is the digest of length-separated parts, so that no two lists of
// parts collide.
func hashParts(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d\n", len(p))
		h.Write(p)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
