package controller

import (
	"context"
	"errors"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestM31_AChainDecidesBeforeASandboxIsClaimed(t *testing.T) {
	finding := cellwall.Finding{Rule: "import", Line: 1, Message: "no"}
	advice := cellwall.Finding{Rule: "network", Line: 1, Message: "none", Advice: true}
	full := &cellwall.Error{Code: cellwall.CodeProtectionMissing, Op: "check code", Err: errors.New("no parser"), Hint: "look"}
	for name, c := range map[string]struct {
		found   []cellwall.Finding
		refused bool
		err     error
		status  cellwall.Status
		ran     bool
	}{
		"passes":         {nil, false, nil, cellwall.StatusOK, true},
		"advises":        {[]cellwall.Finding{advice}, false, nil, cellwall.StatusOK, true},
		"refuses":        {[]cellwall.Finding{finding}, true, nil, cellwall.StatusRefused, false},
		"cannot be done": {nil, false, full, cellwall.StatusInternalError, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := &house{next: ok()}
			k := h.controller(t)
			var source, environment string
			k.opts.Check = func(_ context.Context, req cellwall.Request, env cellwall.Environment, text string) ([]cellwall.Finding, bool, error) {
				source, environment = text, env.Name
				return c.found, c.refused, c.err
			}
			r, err := k.Run(t.Context(), cellwall.Request{Code: byteOrderMark + "print(1)", Profile: "strict"})
			if !errors.Is(err, c.err) || err != nil && cellwall.CodeOf(err) != cellwall.CodeProtectionMissing {
				t.Fatalf("%v, want %v", err, c.err)
			}
			if source != "print(1)" || environment != "basic" {
				t.Errorf("the chain saw %q of %q", source, environment)
			}
			if len(h.entries) != 1 || h.entries[0].Status != c.status || len(h.entries[0].Findings) != len(c.found) {
				t.Errorf("recorded as %+v", h.entries)
			}
			if h.next.ran != c.ran || err == nil && (r.Status != c.status || len(r.Findings) != len(c.found) || r.Boundary.Backend != "native") {
				t.Errorf("ran %v, result %+v", h.next.ran, r)
			}
		})
	}
}

func TestM31_StrictNeedsAChain(t *testing.T) {
	h := &house{next: ok()}
	for _, profile := range []string{"strict", "execute"} {
		if _, err := h.controller(t).Run(t.Context(), cellwall.Request{Code: "1", Profile: profile}); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
			t.Errorf("%s without a chain: %v", profile, err)
		}
	}
}
