package api

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

func TestProblemOf_tells_a_client_what_it_may_know(t *testing.T) {
	busy := &cellwall.Error{Code: cellwall.CodeBusy, Op: "wait", Err: errors.New("full"), Hint: "later", RetryAfter: time.Second}
	for _, test := range []struct {
		name string
		err  error
		want Problem
	}{
		{"ours, wrapped", fmt.Errorf("run: %w", busy), Problem{
			Type: "urn:cellwall:busy", Title: "The service is busy", Status: 503, Code: "busy",
			Detail: "run: wait: full", Hint: "later", Call: "req_x", RetryAfter: time.Second,
		}},
		{"a path that leaked into an error", errors.New("open /var/lib/cellwall/records: no space"), Problem{
			Type: "urn:cellwall:internal", Title: "The service failed", Status: 500, Code: "internal",
			Hint: "tell the operator the request_id", Call: "req_x",
		}},
	} {
		if got := ProblemOf(test.err, "req_x"); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

func TestStatusOf_and_CodeOf_agree(t *testing.T) {
	for _, row := range statuses {
		if got := StatusOf(CodeOf(row.status)); got != row.status {
			t.Errorf("%s: %d comes back as %d", row.code, row.status, got)
		}
	}
	if got := CodeOf(422); got != cellwall.CodeDatasetUnreadable {
		t.Errorf("422 is %s", got)
	}
	if got := CodeOf(418); got != cellwall.CodeBadRequest {
		t.Errorf("418 is %s", got)
	}
}
