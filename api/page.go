package api

import (
	"bytes"
	_ "embed" // page.html
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// The page shows the document to a reader: one file, no script, nothing from
// elsewhere.

//go:embed page.html
var pageText string

type pageView struct {
	Title, Version string
	About          []string
	Groups         []groupView
	Schemas        []schemaView
}

type groupView struct {
	Name, About string
	Routes      []routeView
}

type routeView struct {
	ID, Method, Path, Title, About string
	Fields                         []fieldView
	Bodies                         []mediaView
	Answers                        []answerView
}

type mediaView struct {
	Media string
	Type  typeView
}

type answerView struct {
	Status, About string
	Bodies        []mediaView
}

type schemaView struct {
	Name   string
	Fields []fieldView
}

type fieldView struct {
	Name, In, About string
	Type            typeView
	Required        bool
}

// typeView is the type of a value: words, and the schema that they lead to.
type typeView struct{ Text, Ref string }

// page renders the document.
func page(doc *huma.OpenAPI) ([]byte, error) {
	v := pageView{
		Title: doc.Info.Title, Version: doc.Info.Version,
		About: strings.Split(strings.ReplaceAll(doc.Info.Description, "`", ""), "\n\n"),
	}
	for _, tag := range doc.Tags {
		g := groupView{Name: tag.Name, About: tag.Description}
		for _, r := range routes { // in the order of the table, not of the paths
			if op := operationOf(doc, r); r.tag == tag.Name && op != nil {
				g.Routes = append(g.Routes, viewRoute(r, op))
			}
		}
		if len(g.Routes) > 0 {
			v.Groups = append(v.Groups, g)
		}
	}
	schemas := doc.Components.Schemas.Map()
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		v.Schemas = append(v.Schemas, schemaView{name, fieldsOf(schemas[name])})
	}
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("read page: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, v); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	return out.Bytes(), nil
}

// operationOf returns what the document says of a row of the table.
func operationOf(doc *huma.OpenAPI, r route) *huma.Operation {
	item := doc.Paths[r.path]
	if item == nil {
		return nil
	}
	return map[string]*huma.Operation{
		"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete,
	}[r.method]
}

func viewRoute(r route, op *huma.Operation) routeView {
	v := routeView{
		ID: r.id, Method: r.method, Path: strings.ReplaceAll(r.path, "...}", "}"), Title: op.Summary,
		About: strings.ReplaceAll(op.Description, "`", ""),
	}
	for _, p := range op.Parameters {
		v.Fields = append(v.Fields, fieldView{p.Name, p.In, p.Description, typeOf(p.Schema), p.Required})
	}
	if op.RequestBody != nil {
		v.Bodies = viewMedia(op.RequestBody.Content)
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		a := op.Responses[status]
		v.Answers = append(v.Answers, answerView{status, strings.ReplaceAll(a.Description, "`", ""), viewMedia(a.Content)})
	}
	return v
}

func viewMedia(content map[string]*huma.MediaType) (list []mediaView) {
	for _, media := range slices.Sorted(maps.Keys(content)) {
		list = append(list, mediaView{media, typeOf(content[media].Schema)})
	}
	return list
}

func fieldsOf(s *huma.Schema) (list []fieldView) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		list = append(list, fieldView{Name: name, About: p.Description, Type: typeOf(p), Required: slices.Contains(s.Required, name)})
	}
	return list
}

// typeOf puts a schema into words.
func typeOf(s *huma.Schema) typeView {
	switch {
	case s == nil:
		return typeView{}
	case s.Ref != "":
		name := s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
		return typeView{name, name}
	case len(s.OneOf) > 0:
		return typeOf(s.OneOf[0])
	case s.Type == "array" && s.Items != nil:
		of := typeOf(s.Items)
		return typeView{"list of " + of.Text, of.Ref}
	case s.Type == "object" && s.AdditionalProperties != nil:
		if of, ok := s.AdditionalProperties.(*huma.Schema); ok {
			return typeView{"map of " + typeOf(of).Text, typeOf(of).Ref}
		}
	case len(s.Enum) > 0:
		return typeView{Text: strings.Trim(fmt.Sprint(s.Enum), "[]")}
	}
	return typeView{Text: bounds(s)}
}

// bounds is a plain type with what holds of its values.
func bounds(s *huma.Schema) string {
	text := s.Type
	if s.Format == "binary" {
		text = "bytes"
	}
	if text == "" {
		text = "any"
	}
	for _, b := range [...]struct {
		word  string
		bound *float64
	}{{"from", s.Minimum}, {"to", s.Maximum}} {
		if b.bound != nil {
			text += fmt.Sprintf(" %s %.12g", b.word, *b.bound)
		}
	}
	if s.MaxLength != nil {
		text += fmt.Sprintf(", at most %d characters", *s.MaxLength)
	}
	return text
}
