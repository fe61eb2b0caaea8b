package policy

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cellwall/cellwall"
)

// Profile names what is looked for before a run. The wall is the same in all.
type Profile string

// The profiles, the loosest first.
const (
	Off     Profile = "off"     // blocks of the operator, nothing else
	Default Profile = "default" // advice on what the wall will refuse anyway
	Execute Profile = "execute" // the second article's checks, for its own route only
	Strict  Profile = "strict"  // the articles' lists and messages
)

var profiles = []Profile{Off, Default, Execute, Strict}

// Stricter returns the stricter of two profiles; "" means Default.
func Stricter(a, b Profile) Profile {
	if slices.Index(profiles, named(a)) < slices.Index(profiles, named(b)) {
		return named(b)
	}
	return named(a)
}

// Choose returns the profile of a request of a tenant whose own is floor: floor
// when none is asked for. It fails with CodeForbidden for one that is looser, and
// with CodeBadRequest for one that is none, or is the route's own.
func Choose(floor, asked Profile) (Profile, error) {
	switch {
	case asked == "":
		return named(floor), nil
	case !slices.Contains(profiles, asked), asked == Execute:
		return "", &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "choose profile", Err: fmt.Errorf("%q is not one", asked),
			Hint: "known profiles: default, strict, off",
		}
	case Stricter(floor, asked) != asked:
		return "", &cellwall.Error{
			Code: cellwall.CodeForbidden, Op: "choose profile", Err: errors.New("the tenant's own is stricter than " + string(asked)),
			Hint: "leave profile away, or ask for a stricter one",
		}
	}
	return asked, nil
}

func named(p Profile) Profile {
	if p == "" {
		return Default
	}
	return p
}
