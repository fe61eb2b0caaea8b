package fetch

import (
	"errors"

	"github.com/cellwall/cellwall"
)

const opFetch = "fetch address"

// refusal is an error for the caller, and what only the operator is told of it.
type refusal struct {
	told  *cellwall.Error
	cause error
}

// Error is the part that is told.
func (r *refusal) Error() string { return r.told.Error() }

// Unwrap gives the part that is told.
func (r *refusal) Unwrap() error { return r.told }

// failed is the other side's fault, whatever it is.
func failed(why, hint string, cause error) error {
	return &refusal{&cellwall.Error{Code: cellwall.CodeSourceFailed, Op: opFetch, Err: errors.New(why), Hint: hint}, cause}
}

// causeOf is what the operator is told of an error.
func causeOf(err error) string {
	var r *refusal
	if errors.As(err, &r) && r.cause != nil {
		return r.cause.Error()
	}
	return ""
}

func forbidden(why, hint string) error {
	return &cellwall.Error{Code: cellwall.CodeForbidden, Op: opFetch, Err: errors.New(why), Hint: hint}
}
