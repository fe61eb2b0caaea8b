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
	whole := s.operator(ctx) == nil
	for i, entry := range list {
		if !whole {
			entry = untold(entry)
		}
		out.Body.Items[i] = entry
	}
	return out, nil
}

// untold is an entry without what only the operator is told: why a source outside
// failed names hosts and paths of the service.
func untold(entry []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(entry, &fields) != nil || string(fields["kind"]) != `"fetch"` && string(fields["kind"]) != `"snapshot"` {
		return entry
	}
	delete(fields, "cause")
	left, err := json.Marshal(fields)
	if err != nil {
		return []byte("{}")
	}
	return left
}
