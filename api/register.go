package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

// handle serves a route of the table with do: what it takes and gives is read
// from the types, for the document and for the checks alike. An error becomes a
// problem document.
func handle[I, O any](s *Server, id string, do func(context.Context, *I) (*O, error), change ...func(*huma.Operation)) {
	op := s.operation(find(id))
	for _, f := range change {
		f(op)
	}
	huma.Register(s.huma, *op, func(ctx context.Context, in *I) (*O, error) {
		out, err := do(ctx, in)
		if err != nil {
			return nil, s.failure(ctx, err)
		}
		return out, nil
	})
}

// raw serves a route of the table with a plain handler. document says what the
// types cannot: its bodies and answers.
func raw(s *Server, id string, do func(http.ResponseWriter, *http.Request) error, document func(*huma.Operation)) {
	route := find(id)
	op := s.operation(route)
	if document != nil {
		document(op)
	}
	s.huma.OpenAPI().AddOperation(op)
	s.mux.HandleFunc(route.pattern(), func(w http.ResponseWriter, r *http.Request) {
		if err := do(w, r); err != nil {
			s.refuse(w, r, err)
		}
	})
}

// failure is an error of a handler, for huma: a problem with its headers.
type failure struct{ Problem }

func (f *failure) Error() string               { return f.Detail }
func (f *failure) GetStatus() int              { return f.Status }
func (f *failure) ContentType(string) string   { return "application/problem+json" }
func (f *failure) GetHeaders() (h http.Header) { h = http.Header{}; f.headers(h); return h }

func (s *Server) failure(ctx context.Context, err error) error {
	return &failure{s.fault(ctx, err)}
}

// translate puts what huma objects to into our words; it is a Transformer.
func translate(ctx huma.Context, _ string, v any) (any, error) {
	m, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	return invalid(m.Status, details(m.Errors), m.Detail, callID(ctx.Context())), nil
}

func details(faults []*huma.ErrorDetail) (said []string) {
	for _, f := range faults {
		said = append(said, strings.TrimPrefix(f.Location+": "+f.Message, ": "))
	}
	return said
}

// maxFaults is how many faults of one request are named.
const maxFaults = 5

// invalid is the problem of a request that is not of its schema.
func invalid(status int, faults []string, otherwise, id string) Problem {
	if len(faults) == 0 {
		faults = []string{strings.ToLower(otherwise)}
	}
	p := ProblemOf(&cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: "check request", Err: errors.New(invalidText(faults)),
		Hint: "/docs says what the route takes",
	}, id)
	if status != 0 {
		p.Status = status
	}
	return p
}

// invalidText names the first faults, and how many more there are.
func invalidText(faults []string) string {
	rest := ""
	if len(faults) > maxFaults {
		rest = fmt.Sprintf("; and %d more", len(faults)-maxFaults)
		faults = faults[:maxFaults]
	}
	text := strings.Join(faults, "; ")
	if len(text) > maxFaultText {
		text = strings.ToValidUTF8(text[:maxFaultText], "") + "…"
	}
	return text + rest
}

const maxFaultText = 2000
