package api

import (
	"context"
	"errors"

	"github.com/cellwall/cellwall"
)

// operator is nil when the caller's tenant is an operator: its admin and audit
// scopes reach everybody's.
func (s *Server) operator(ctx context.Context) error {
	terms, err := s.terms(ctx)
	if err == nil && !terms.Operator {
		err = &cellwall.Error{
			Code: cellwall.CodeForbidden, Op: "check caller", Err: errors.New("it is the operator's"),
			Hint: "use a key of the operator, or the service's own user at its socket",
		}
	}
	return err
}
