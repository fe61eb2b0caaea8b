package api_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/api/apitest"
)

// elsewhere keeps work that another service has taken meanwhile, or of which nobody
// knows.
type elsewhere struct {
	api.Background
	err error
}

func (e elsewhere) Begin(context.Context, string, string) (bool, error) { return false, e.err }

func TestM49_WorkThatIsNotOursAnyMoreIsNotSentAndNotEnded(t *testing.T) {
	for name, err := range map[string]error{"taken by another service": nil, "the store cannot be asked": errors.New("no space left on device")} {
		t.Run(name, func(t *testing.T) {
			s := apitest.Start(t, func(o *api.Options) { o.Background = elsewhere{o.Background, err} })
			a := s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"print(1)"}`, "Prefer", "respond-async")
			k := apitest.Into[struct{ ID string }](t, a, http.StatusAccepted)
			if err := s.Server.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			kept, err := s.Store.Execution(t.Context(), s.Tenant, k.ID)
			if err != nil || kept.State != cellwall.WorkQueued {
				t.Errorf("it is %q: %v", kept.State, err)
			}
			if strings.Contains(s.Records(t), k.ID) {
				t.Error("it has a record")
			}
		})
	}
}
