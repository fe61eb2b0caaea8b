package api

import (
	"context"
	"encoding/json"

	"github.com/cellwall/cellwall"
)

// Entries are the records of a tenant. Package store has them: it finds one's
// own without a look at the others'.
type Entries interface {
	Entries(ctx context.Context, tenant string, page cellwall.Page) (list [][]byte, next string, err error)
}

func (s *Server) registerAudit() {
	if s.opts.Entries != nil {
		handle(s, "listAudit", s.listAudit)
	}
}

type auditIn struct {
	PageQuery
	Tenant string `query:"tenant" maxLength:"64" doc:"Whose: the operator's to say; left out: one's own"`
}

type auditOut struct{ Body paged[json.RawMessage] }

// listAudit gives entries as they stand in the log, but for their place in the
// chain, which says how much others do.
func (s *Server) listAudit(ctx context.Context, in *auditIn) (*auditOut, error) {
	tenant := callerOf(ctx).Tenant
	if in.Tenant != "" && in.Tenant != tenant {
		if err := s.operator(ctx); err != nil {
			return nil, err
		}
		tenant = in.Tenant
	}
	page, err := s.pageFrom(ctx, in.PageQuery)
	if err != nil {
		return nil, err
	}
	list, next, err := s.opts.Entries.Entries(ctx, tenant, page)
	if err != nil {
		return nil, err
	}
	out := &auditOut{Body: paged[json.RawMessage]{Items: make([]json.RawMessage, len(list)), Next: s.next(ctx, next)}}
	for i, entry := range list {
		out.Body.Items[i] = entry
	}
	return out, nil
}
