package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"reflect"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

// decode reads one JSON document strictly: UTF-8, of the schema of its type, no
// unknown field, nothing behind it.
func decode[T any](s *Server, body []byte) (v T, err error) {
	var loose any
	if err := unmarshal(body, &loose); err != nil {
		return v, err
	}
	registry := s.huma.OpenAPI().Components.Schemas
	schema := registry.Schema(reflect.TypeFor[T](), false, "")
	result, at := &huma.ValidateResult{}, huma.NewPathBuffer([]byte{}, 0)
	at.Push("body")
	huma.Validate(registry, schema, at, huma.ModeWriteToServer, loose, result)
	if len(result.Errors) > 0 {
		var faults []*huma.ErrorDetail
		for _, e := range result.Errors {
			var d huma.ErrorDetailer
			if errors.As(e, &d) {
				faults = append(faults, d.ErrorDetail())
			}
		}
		return v, wrong(http.StatusUnprocessableEntity, &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "check request",
			Err: errors.New(invalidText(details(faults))), Hint: "/docs says what the route takes",
		})
	}
	if err := unmarshal(body, &v); err != nil {
		return v, err
	}
	return v, nil
}

// unmarshal is the decoder of every JSON body.
func unmarshal(body []byte, v any) error {
	if !utf8.Valid(body) {
		return malformed("it is not UTF-8")
	}
	if err := json.Unmarshal(body, v); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) || len(bytes.TrimSpace(body)) == 0 {
			return malformed(err.Error())
		}
		return malformed("a value is of the wrong type or does not fit")
	}
	return nil
}

func malformed(why string) error {
	return &cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: "read JSON", Err: errors.New(why),
		Hint: "send one JSON document in UTF-8, with Content-Type: application/json",
	}
}

// mediaType returns the type of a request's body and its parameters; "" when it
// says none.
func mediaType(r *http.Request) (string, map[string]string, error) {
	said := r.Header.Get("Content-Type")
	if said == "" {
		return "", nil, nil
	}
	media, params, err := mime.ParseMediaType(said)
	if err != nil {
		return "", nil, unsupported()
	}
	return media, params, nil
}

func unsupported(want ...string) error {
	hint := "send it with Content-Type: application/json"
	if len(want) > 0 {
		hint = "send it with Content-Type: " + want[0]
	}
	return wrong(http.StatusUnsupportedMediaType, &cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: "read body", Err: errors.New("its media type is not for this route"), Hint: hint,
	})
}
