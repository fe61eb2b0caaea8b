package cellwall

import (
	"errors"
	"strings"
	"time"
)

// ErrorCode classifies an Error. One table in the API maps codes to HTTP
// statuses.
type ErrorCode string

// The codes of the public surface.
const (
	CodeBadRequest         ErrorCode = "bad_request"
	CodeUnauthenticated    ErrorCode = "unauthenticated"
	CodeForbidden          ErrorCode = "forbidden"
	CodeNotFound           ErrorCode = "not_found"
	CodeConflict           ErrorCode = "conflict"
	CodeTooLarge           ErrorCode = "too_large"
	CodeRateLimited        ErrorCode = "rate_limited"
	CodeBusy               ErrorCode = "busy"
	CodeProtectionMissing  ErrorCode = "protection_missing"
	CodeEnvironmentMissing ErrorCode = "environment_missing"
	CodeDatasetUnreadable  ErrorCode = "dataset_unreadable"
	CodeSourceFailed       ErrorCode = "source_failed" // what data was to come from: a web server, a database, a bucket
	CodeDraining           ErrorCode = "draining"
	CodeLockedDown         ErrorCode = "locked_down"
	CodeInternal           ErrorCode = "internal"
)

// ErrSandboxGone is wrapped by an error of Bind or Run when the sandbox ended
// before the code reached it: nothing of the run happened, and another sandbox
// can serve it.
var ErrSandboxGone = errors.New("the sandbox ended before the code reached it")

// ErrNotSent is wrapped by an error of an execution that Request.Begin kept from being
// sent: nothing ran, nothing is recorded, and it may be done later.
var ErrNotSent = errors.New("the code was not sent")

// ErrSessionOver is wrapped by every call on a session that has ended.
var ErrSessionOver = errors.New("the session is over")

// Error is Cellwall's own failure or a refused request. Its text is
// "op: cause"; Hint says what a person can do and is printed on its own line.
type Error struct {
	Code ErrorCode
	Op   string // "verb object", lower case
	Hint string
	Err  error

	RetryAfter time.Duration // when another try may succeed; 0 = not known
}

// Error returns "op: cause" without the hint.
func (e *Error) Error() string {
	var parts []string
	if e.Op != "" {
		parts = append(parts, e.Op)
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	if len(parts) == 0 {
		return string(e.Code)
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of the outermost *Error in err's chain, and
// CodeInternal for an error that has none.
func CodeOf(err error) ErrorCode {
	var e *Error
	if errors.As(err, &e) && e.Code != "" {
		return e.Code
	}
	return CodeInternal
}

// HintOf returns the first hint in err's chain, or "".
func HintOf(err error) string {
	for err != nil {
		var e *Error
		if !errors.As(err, &e) {
			return ""
		}
		if e.Hint != "" {
			return e.Hint
		}
		err = e.Err
	}
	return ""
}

// RetryAfterOf returns the first RetryAfter in err's chain, or 0.
func RetryAfterOf(err error) time.Duration {
	for err != nil {
		var e *Error
		if !errors.As(err, &e) {
			return 0
		}
		if e.RetryAfter > 0 {
			return e.RetryAfter
		}
		err = e.Err
	}
	return 0
}
