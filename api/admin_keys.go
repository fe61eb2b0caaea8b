package api

import (
	"context"
	"time"

	"github.com/cellwall/cellwall"
)

// keyView is a key without its text, which nobody has but its holder.
type keyView struct {
	ID        string     `json:"id"`
	Tenant    string     `json:"tenant" doc:"Its id"`
	Name      string     `json:"name,omitempty"`
	Scopes    []string   `json:"scopes"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at" doc:"null: never"`
	RevokedAt *time.Time `json:"revoked_at" doc:"null: not"`
	Key       string     `json:"key,omitempty" doc:"The key itself; shown once"`
}

func viewKey(k cellwall.Key) keyView {
	at := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		t = t.UTC()
		return &t
	}
	return keyView{
		ID: k.ID, Tenant: k.Tenant, Name: k.Name, Scopes: k.Scopes,
		CreatedAt: k.Created.UTC(), ExpiresAt: at(k.Expires), RevokedAt: at(k.Revoked),
	}
}

type (
	listKeysIn struct {
		Tenant string `query:"tenant" maxLength:"64" doc:"For the operator: a tenant's id, or * for everybody's"`
	}
	keysOut struct {
		Body struct {
			Items []keyView `json:"items"`
		}
	}
	createKeyIn struct {
		Body struct {
			Tenant    string     `json:"tenant,omitempty" maxLength:"64" doc:"For the operator: a tenant's id; left out: the caller's own"`
			Name      string     `json:"name,omitempty" maxLength:"128" doc:"What it is for"`
			Scopes    []string   `json:"scopes,omitempty" minItems:"1" maxItems:"3" nullable:"false" enum:"execute,admin,audit" doc:"Left out: execute"`
			ExpiresAt *time.Time `json:"expires_at,omitempty" doc:"Left out: never"`
		}
	}
	keyOut      struct{ Body keyView }
	revokeKeyIn struct {
		ID     string `path:"id" maxLength:"64"`
		Tenant string `query:"tenant" maxLength:"64" doc:"For the operator: a tenant's id, or * for anybody's"`
	}
)

// listKeys gives all of a tenant, oldest first: there are never many.
func (s *Server) listKeys(ctx context.Context, in *listKeysIn) (*keysOut, error) {
	tenant, err := s.reach(ctx, in.Tenant, everybody)
	if err != nil {
		return nil, err
	}
	out := &keysOut{}
	out.Body.Items = []keyView{}
	for _, k := range s.opts.Accounts.Keys(tenant) {
		out.Body.Items = append(out.Body.Items, viewKey(k))
	}
	return out, nil
}

func (s *Server) createKey(ctx context.Context, in *createKeyIn) (*keyOut, error) {
	tenant, err := s.reach(ctx, in.Body.Tenant, "")
	if err != nil {
		return nil, err
	}
	scopes := in.Body.Scopes
	if len(scopes) == 0 {
		scopes = []string{cellwall.ScopeExecute}
	}
	var expires time.Time
	if in.Body.ExpiresAt != nil {
		expires = in.Body.ExpiresAt.UTC()
		if expires.IsZero() { // a date like any other, which would mean never
			expires = expires.Add(1)
		}
	}
	text, k, err := s.opts.Accounts.NewKey(ctx, tenant, in.Body.Name, scopes, expires)
	if err != nil {
		return nil, err
	}
	out := &keyOut{viewKey(k)}
	out.Body.Key = text
	return out, nil
}

func (s *Server) revokeKey(ctx context.Context, in *revokeKeyIn) (*struct{}, error) {
	tenant, err := s.reach(ctx, in.Tenant, everybody)
	if err != nil {
		return nil, err
	}
	return nil, s.opts.Accounts.Revoke(ctx, tenant, in.ID)
}
