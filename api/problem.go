package api

import (
	"net/http"
	"time"

	"github.com/cellwall/cellwall"
)

// Problem is an error as a client reads it (RFC 9457). It holds no path, no
// stack and nothing of another tenant.
type Problem struct {
	Type   string             `json:"type" doc:"urn:cellwall: and the code"`
	Title  string             `json:"title"`
	Status int                `json:"status"`
	Code   cellwall.ErrorCode `json:"code" doc:"Stable: branch on it"`
	Detail string             `json:"detail,omitempty"`
	Hint   string             `json:"hint,omitempty" doc:"What a person can do"`
	Call   string             `json:"request_id,omitempty"`

	RetryAfter time.Duration `json:"-"` // becomes the header Retry-After, rounded up to seconds
}

// statuses is the one table between codes and HTTP.
var statuses = [...]struct {
	code   cellwall.ErrorCode
	status int
	title  string
}{
	{cellwall.CodeBadRequest, http.StatusBadRequest, "The request is malformed"},
	{cellwall.CodeUnauthenticated, http.StatusUnauthorized, "The key is missing or opens nothing"},
	{cellwall.CodeForbidden, http.StatusForbidden, "The key may not do this"},
	{cellwall.CodeNotFound, http.StatusNotFound, "There is no such thing"},
	{cellwall.CodeConflict, http.StatusConflict, "The state does not allow it"},
	{cellwall.CodeTooLarge, http.StatusRequestEntityTooLarge, "It is too large"},
	{cellwall.CodeRateLimited, http.StatusTooManyRequests, "More than the tenant may have"},
	{cellwall.CodeBusy, http.StatusServiceUnavailable, "The service is busy"},
	{cellwall.CodeProtectionMissing, http.StatusServiceUnavailable, "A protection is missing"},
	{cellwall.CodeEnvironmentMissing, http.StatusNotFound, "The environment is not built"},
	{cellwall.CodeDatasetUnreadable, http.StatusUnprocessableEntity, "The dataset cannot be read"},
	{cellwall.CodeSourceFailed, http.StatusBadGateway, "Where the data was to come from failed"},
	{cellwall.CodeDraining, http.StatusServiceUnavailable, "The service is stopping"},
	{cellwall.CodeLockedDown, http.StatusServiceUnavailable, "The service is locked down"},
	{cellwall.CodeInternal, http.StatusInternalServerError, "The service failed"},
}

// StatusOf returns the HTTP status of a code; an unknown one is 500.
func StatusOf(code cellwall.ErrorCode) int {
	for _, row := range statuses {
		if row.code == code {
			return row.status
		}
	}
	return http.StatusInternalServerError
}

// CodeOf returns the code of a problem that came without one, from its status:
// the first of the table, CodeBadRequest for any other refusal.
func CodeOf(status int) cellwall.ErrorCode {
	for _, row := range statuses {
		if row.status == status {
			return row.code
		}
	}
	if status >= 400 && status < 500 {
		return cellwall.CodeBadRequest
	}
	return cellwall.CodeInternal
}

// ProblemOf puts err into words for a client. Of an internal error the client
// learns only that it happened: the log has the rest, under the id of the call.
func ProblemOf(err error, call string) Problem {
	code := cellwall.CodeOf(err)
	p := Problem{
		Type: "urn:cellwall:" + string(code), Status: StatusOf(code), Code: code, Call: call,
		Hint: cellwall.HintOf(err), RetryAfter: cellwall.RetryAfterOf(err),
	}
	for _, row := range statuses {
		if row.code == code {
			p.Title = row.title
		}
	}
	if code == cellwall.CodeInternal {
		p.Hint = "tell the operator the request_id"
	} else {
		p.Detail = err.Error()
	}
	return p
}
