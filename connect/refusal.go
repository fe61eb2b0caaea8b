package connect

import (
	"errors"

	"github.com/cellwall/cellwall"
)

const opSnapshot = "take snapshot"

// refusal is an error for the caller, and what only the operator is told of it.
type refusal struct {
	told  *cellwall.Error
	cause string
}

// Error is the part that is told.
func (r *refusal) Error() string { return r.told.Error() }

// Unwrap gives the part that is told.
func (r *refusal) Unwrap() error { return r.told }

// failed is the other side's fault, or the operator's.
func failed(why, hint string, cause error) error {
	return refused(cellwall.CodeSourceFailed, why, hint, cause)
}

func refused(code cellwall.ErrorCode, why, hint string, cause error) error {
	r := &refusal{told: &cellwall.Error{Code: code, Op: opSnapshot, Err: errors.New(why), Hint: hint}}
	if cause != nil {
		r.cause = cause.Error()
	}
	return r
}

func badAsk(why, hint string) error {
	return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: opSnapshot, Err: errors.New(why), Hint: hint}
}

func tooLarge(why string) error {
	return &cellwall.Error{
		Code: cellwall.CodeTooLarge, Op: opSnapshot, Err: errors.New(why), Hint: "ask for less: a query with WHERE, GROUP BY or LIMIT",
	}
}

// scrubbed takes the secret out of what an error says and of what it hides.
func scrubbed(err error, s secret) error {
	var r *refusal
	if errors.As(err, &r) {
		r.cause = s.scrubbed(r.cause)
	}
	var told *cellwall.Error
	if errors.As(err, &told) && told.Err != nil {
		if clean := s.scrubbed(told.Err.Error()); clean != told.Err.Error() {
			told.Err = errors.New(clean)
		}
	}
	return err
}

// causeOf is what the operator is told of an error.
func causeOf(err error) string {
	var r *refusal
	if errors.As(err, &r) {
		return r.cause
	}
	return ""
}
