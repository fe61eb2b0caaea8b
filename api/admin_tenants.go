package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

func (s *Server) registerAccounts() {
	if s.opts.Accounts == nil {
		return
	}
	created := func(op *huma.Operation) { op.DefaultStatus = http.StatusCreated }
	handle(s, "listTenants", s.listTenants)
	handle(s, "createTenant", s.createTenant, created)
	handle(s, "getTenant", s.getTenant)
	handle(s, "changeTenant", s.changeTenant)
	handle(s, "listKeys", s.listKeys)
	handle(s, "createKey", s.createKey, created)
	handle(s, "revokeKey", s.revokeKey)
	raw(s, "getUsage", s.getUsage, s.documentUsage)
}

// operates reports whether the caller's tenant is an operator: its scopes reach
// every tenant.
func (s *Server) operates(ctx context.Context) bool {
	t, err := s.opts.Keys.Tenant(callerOf(ctx).Tenant)
	return err == nil && t.Terms.Operator
}

// errOperator is the answer to everybody else, whatever they name.
var errOperator error = &cellwall.Error{
	Code: cellwall.CodeForbidden, Op: "reach tenant", Err: errors.New("only the operator reaches other tenants"),
	Hint: "leave tenant out, or use a key of the operator",
}

// reach returns whose things the caller means: its own, and any tenant's for the
// operator. all is what stands for everybody.
func (s *Server) reach(ctx context.Context, asked, all string) (string, error) {
	own := callerOf(ctx).Tenant
	switch {
	case asked == "" || asked == own:
		return own, nil
	case !s.operates(ctx):
		return "", errOperator
	case asked == all:
		return "", nil
	}
	t, err := s.opts.Accounts.Tenant(asked)
	return t.ID, err
}

// everybody is what an operator names for all tenants.
const everybody = "*"

// tenantView is a tenant as an operator sees it, with the terms that hold.
type tenantView struct {
	ID        string               `json:"id"`
	Name      string               `json:"name"`
	State     cellwall.TenantState `json:"state" enum:"active,quarantined,closed"`
	Reason    string               `json:"reason,omitempty" doc:"Of the state"`
	Operator  bool                 `json:"operator" doc:"Its admin and audit scopes reach every tenant"`
	CreatedAt time.Time            `json:"created_at"`
	Terms     termsBody            `json:"terms"`
}

func viewTenant(t cellwall.Tenant) tenantView {
	return tenantView{
		ID: t.ID, Name: t.Name, State: t.State, Reason: t.Reason, Operator: t.Terms.Operator,
		CreatedAt: t.Created.UTC(), Terms: viewTerms(t.Terms),
	}
}

type (
	tenantIn struct {
		ID string `path:"id" maxLength:"64"`
	}
	tenantOut  struct{ Body tenantView }
	tenantsOut struct {
		Body struct {
			Items []tenantView `json:"items"`
		}
	}
	createTenantIn struct {
		Body struct {
			Name  string    `json:"name" minLength:"1" maxLength:"64" pattern:"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"`
			Terms termsBody `json:"terms,omitzero"`
		}
	}
	changeTenantIn struct {
		ID   string `path:"id" maxLength:"64"`
		Body struct {
			State  cellwall.TenantState `json:"state,omitempty" enum:"active,quarantined,closed"`
			Reason *string              `json:"reason,omitempty" maxLength:"500" doc:"Of the state, for people"`
			Terms  *termsBody           `json:"terms,omitempty" doc:"All of them: what is left out is the service's default"`
		}
	}
)

func (s *Server) listTenants(ctx context.Context, _ *struct{}) (*tenantsOut, error) {
	if !s.operates(ctx) {
		return nil, errOperator
	}
	out := &tenantsOut{}
	out.Body.Items = []tenantView{}
	for _, t := range s.opts.Accounts.Tenants() {
		out.Body.Items = append(out.Body.Items, viewTenant(t))
	}
	return out, nil
}

func (s *Server) createTenant(ctx context.Context, in *createTenantIn) (*tenantOut, error) {
	if !s.operates(ctx) {
		return nil, errOperator
	}
	t, err := s.opts.Accounts.AddTenant(ctx, newID(ctx, cellwall.PrefixTenant), in.Body.Name, in.Body.Terms.terms())
	if err != nil {
		return nil, err
	}
	if t, err = s.opts.Accounts.Tenant(t.ID); err != nil { // with the terms that hold
		return nil, err
	}
	return &tenantOut{viewTenant(t)}, nil
}

// getTenant shows an operator everybody, and others themselves: to them
// another's id is none.
func (s *Server) getTenant(ctx context.Context, in *tenantIn) (*tenantOut, error) {
	id := in.ID
	if id != callerOf(ctx).Tenant && !s.operates(ctx) {
		id = ""
	}
	t, err := s.opts.Accounts.Tenant(id)
	if err != nil {
		return nil, err
	}
	return &tenantOut{viewTenant(t)}, nil
}

func (s *Server) changeTenant(ctx context.Context, in *changeTenantIn) (*tenantOut, error) {
	if !s.operates(ctx) {
		return nil, errOperator
	}
	t, err := s.opts.Accounts.ChangeTenant(ctx, in.ID, func(t *cellwall.Tenant) {
		if in.Body.State != "" {
			t.State, t.Reason = in.Body.State, ""
		}
		if in.Body.Reason != nil {
			t.Reason = *in.Body.Reason
		}
		if in.Body.Terms != nil {
			operator := t.Terms.Operator
			t.Terms = in.Body.Terms.terms()
			t.Terms.Operator = operator
		}
	})
	if err != nil {
		return nil, err
	}
	return &tenantOut{viewTenant(t)}, nil
}
