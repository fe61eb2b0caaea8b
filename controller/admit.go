package controller

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

// Bounds of a request, beside its limits.
const (
	maxNameBytes = 255 // a file name on Linux
	maxPurpose   = 2000
)

// admit fills in what the request leaves open and refuses, with
// CodeBadRequest, what is malformed. Nothing has been recorded yet.
func (x *execution) admit() error {
	req := &x.req
	if req.Identity.Tenant == "" {
		req.Identity.Tenant = "local"
	}
	if err := x.narrow(); err != nil {
		return err
	}
	if req.Backend == "" {
		req.Backend = x.c.opts.Backend
	}
	if req.Environment == "" {
		req.Environment = x.c.opts.Environment
	}
	if x.pool = x.c.opts.Pools[req.Backend]; x.pool == nil {
		known := slices.Sorted(maps.Keys(x.c.opts.Pools))
		return bad("choose backend", fmt.Errorf("%q is not one", req.Backend), "known backends: "+strings.Join(known, ", "))
	}
	if err := admitProfile(req.Profile, x.c.opts.Check != nil); err != nil {
		return err
	}
	if req.Code == "" && !x.describe && x.begins == "" {
		return bad("read code", errors.New("it is empty"), "give at least one line of Python")
	}
	if len(req.Purpose) > maxPurpose {
		return bad("read purpose", fmt.Errorf("%d bytes are more than %d", len(req.Purpose), maxPurpose), "")
	}
	if err := admitFunctions(req.Functions); err != nil {
		return err
	}
	req.Limits = req.Limits.WithDefaults()
	if err := req.Limits.Validate(); err != nil {
		return err
	}
	return admitDatasets(req.Datasets, req.Limits.InputBytes)
}

// admitProfile knows "execute" too, which is no profile that a caller may name:
// the route of that name sets it.
func admitProfile(profile string, checks bool) error {
	switch profile {
	case "", "default", "off":
		return nil
	case "strict", "execute":
		if checks {
			return nil
		}
		return bad("choose profile", errors.New("no checks are wired here"), "use default or off; the wall is the same in every profile")
	}
	return bad("choose profile", fmt.Errorf("%q is not one", profile), "known profiles: default, strict, off")
}

// admitDatasets holds names to what can be a file below /workspace/input, and
// all files together to room bytes: they are copied into memory.
func admitDatasets(inputs []cellwall.Input, room int64) error {
	if len(inputs) > cellwall.MaxInputs {
		return bad("read datasets", fmt.Errorf("%d are more than %d", len(inputs), cellwall.MaxInputs), "")
	}
	left := room
	seen := map[string]bool{}
	for _, in := range inputs {
		name := in.Name
		switch {
		case name == "", name == ".", name == "..", filepath.Base(name) != name, len(name) > maxNameBytes,
			!utf8.ValidString(name), strings.ContainsFunc(name, isControl):
			return bad("read datasets", fmt.Errorf("%q cannot be a file name", name), "give a base name without control characters")
		case seen[name]:
			return bad("read datasets", fmt.Errorf("two are named %q", name), "rename one of them")
		case in.Size < 0:
			return bad("read datasets", fmt.Errorf("%q has %d bytes", name, in.Size), "")
		case in.Size > left:
			return &cellwall.Error{
				Code: cellwall.CodeTooLarge, Op: "read datasets",
				Err:  fmt.Errorf("together they have more than %d bytes", room),
				Hint: "give a part of them, or save them as Parquet",
			}
		}
		left -= in.Size
		seen[name] = true
	}
	return nil
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7f }

func bad(op string, cause error, hint string) error {
	return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: op, Err: cause, Hint: hint}
}
