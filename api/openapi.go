package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// config describes the document; its paths come from the types.
func (s *Server) config() huma.Config {
	format := huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: unmarshal}
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Cellwall", Version: cmp.Or(s.opts.Version, "0.0.0"),
				Description: "Runs code that a model wrote in fresh, walled sandboxes.\n\n" + aboutDocument,
				License:     &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
			},
			Servers: []*huma.Server{{URL: "/", Description: "This service"}},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"bearer": {Type: "http", Scheme: "bearer", Description: "A key: e2b_ and 40 hexadecimal digits."},
					"header": {Type: "apiKey", In: "header", Name: "X-API-Key", Description: "The same key."},
				},
			},
			Tags: tags(),
		},
		Formats:                      map[string]huma.Format{"application/json": format, "json": format},
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
		Transformers:                 []huma.Transformer{translate},
	}
}

const aboutDocument = "Errors are problem documents (RFC 9457) with a stable `code` and a `hint`. " +
	"`X-Request-Id` names a call in every answer and record. A create takes `Idempotency-Key`: " +
	"whatever happens to the connection, the same request again gives the same answer. " +
	"Lists give `next`, to be sent back as `after`. Limits may only narrow what the tenant has."

func tags() (list []*huma.Tag) {
	for _, t := range [...][2]string{
		{"executions", "Code, and what came of it."},
		{"datasets", "Data files that code can read."},
		{"artifacts", "Files that code left behind."},
		{"environments", "Interpreters and their packages."},
		{"sessions", "Interpreters that live from one execution to the next."},
		{"tools", "What a model is given in a session, and the order in which it is."},
		{"approvals", "What waits for a person: approve it, edit it, reject it."},
		{"ratings", "What people think of what models did."},
		{"events", "What happened, as it happens."},
		{"tenants", "Who may do what, and what it came to."},
		{"operation", "For whoever runs the service."},
		{"service", "The service about itself."},
	} {
		list = append(list, &huma.Tag{Name: t[0], Description: t[1]})
	}
	return list
}

// operation is what the table says of a route, for the document.
func (s *Server) operation(r *route) *huma.Operation {
	op := &huma.Operation{
		OperationID: r.id, Method: r.method, Path: strings.ReplaceAll(r.path, "...}", "}"), Summary: r.title, Tags: []string{r.tag},
		MaxBodyBytes: r.body + 1, BodyReadTimeout: -1, // bodies are bounded and paced before
		Responses: map[string]*huma.Response{}, SkipValidateParams: false,
	}
	op.Path = r.path
	if r.is(foreign) {
		return op
	}
	op.Responses["4XX"] = s.problemResponse("The request was refused: branch on `code`, show `hint`.")
	op.Responses["5XX"] = s.problemResponse("The service is busy (`Retry-After` says when to try again) or failed.")
	if r.scope == "" {
		op.Security = []map[string][]string{{}}
	} else {
		op.Security = []map[string][]string{{"bearer": {}}, {"header": {}}}
		op.Description = "Needs a key with the scope `" + r.scope + "`."
	}
	if r.is(once) {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "Idempotency-Key", In: "header", Description: "Any text of your own; one answer for each.",
			Schema: &huma.Schema{Type: "string", MinLength: ptr(1), MaxLength: ptr(maxOnce), Pattern: "^[ -~]+$"},
		})
	}
	return op
}

func ptr[T any](v T) *T { return &v }

func (s *Server) problemResponse(about string) *huma.Response {
	return &huma.Response{Description: about, Content: map[string]*huma.MediaType{
		"application/problem+json": {Schema: s.schema(reflect.TypeFor[Problem]())},
	}}
}

// schema is a reference to the schema of a type.
func (s *Server) schema(t reflect.Type) *huma.Schema {
	return s.huma.OpenAPI().Components.Schemas.Schema(t, true, "")
}

func schemaOf[T any](s *Server) *huma.Schema { return s.schema(reflect.TypeFor[T]()) }

// responds documents one answer of a raw route.
func responds(op *huma.Operation, status int, about, media string, schema *huma.Schema) *huma.Response {
	key := strconv.Itoa(status)
	r := op.Responses[key]
	if r == nil {
		r = &huma.Response{Description: about, Content: map[string]*huma.MediaType{}}
		op.Responses[key] = r
	}
	if media != "" {
		r.Content[media] = &huma.MediaType{Schema: schema}
	}
	return r
}

// takes documents one form of a raw route's body.
func takes(op *huma.Operation, media string, schema *huma.Schema) {
	if op.RequestBody == nil {
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{}}
	}
	op.RequestBody.Content[media] = &huma.MediaType{Schema: schema}
}

// pathID documents the {id} of a raw route.
func pathID(op *huma.Operation, prefix string) {
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: "id", In: "path", Required: true, Schema: &huma.Schema{Type: "string", MaxLength: ptr(64), Extensions: map[string]any{"examples": []string{prefix + "_…"}}},
	})
}

// eventStream is one event of a stream: the fields that its lines have.
func eventStream() *huma.Schema {
	text := &huma.Schema{Type: "string"}
	return &huma.Schema{Type: "object", Required: []string{"data"}, Properties: map[string]*huma.Schema{"id": text, "event": text, "data": text}}
}

func binary() *huma.Schema { return &huma.Schema{Type: "string", Format: "binary"} }

// render writes the document once: it does not change while the server runs.
func (s *Server) render() error {
	doc := s.huma.OpenAPI()
	schemas := doc.Components.Schemas.Map()
	delete(schemas, "ErrorModel") // huma's own; nobody is ever answered with it
	delete(schemas, "ErrorDetail")
	nullable(schemas)
	raw, err := json.Marshal(doc)
	if err != nil {
		return fmt.Errorf("write OpenAPI document: %w", err)
	}
	raw = bytes.ReplaceAll(raw, []byte("...}"), []byte("}")) // the mux's sign for a rest of a path
	s.document = raw
	s.page, err = page(doc)
	return err
}

// nullable says of objects and references that they may be null, which a type does
// with a pointer and huma does not tell.
func nullable(schemas map[string]*huma.Schema) {
	for _, at := range [...][2]string{{"Result", "error"}, {"ExecuteAnswer", "output_files"}} {
		object := schemas[at[0]]
		if object == nil {
			continue
		}
		if may := object.Properties[at[1]]; may != nil {
			object.Properties[at[1]] = &huma.Schema{Description: may.Description, OneOf: []*huma.Schema{may, {Type: "null"}}}
		}
	}
	if o := schemas["Observation"]; o != nil { // what only a stop has
		o.Required = []string{"ok"}
	}
}
