package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/cellwall/cellwall"
)

// Answer is what does a call of a function.
type Answer func(context.Context, cellwall.Call) cellwall.Reply

// NewFunction makes a function that code in a sandbox may call. parameters is a JSON
// Schema (draft 2020-12) of an object. It fails, with CodeBadRequest, for a name that
// no code can write, and for a schema that is none, that is longer than
// cellwall.MaxFunctionBytes, or that could cost more to check than a call may: which
// refers to itself or outside, or is more than 2,000 schemas when references are
// followed.
func NewFunction(name, description string, parameters json.RawMessage, l Language, do Answer) (cellwall.Function, error) {
	f := cellwall.Function{Name: name, Description: description, Call: do}
	refused := func(why error) (cellwall.Function, error) {
		return cellwall.Function{}, &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "register function " + cut(name, 64), Err: why,
			Hint: "a name is small letters, digits and _; parameters are a JSON Schema (draft 2020-12) of an object",
		}
	}
	switch {
	case !cellwall.ValidFunctionName(name):
		return refused(errors.New("no code can write tools." + cut(name, 64)))
	case len(description)+len(parameters) > cellwall.MaxFunctionBytes:
		return refused(fmt.Errorf("description and parameters have more than %d bytes", cellwall.MaxFunctionBytes))
	}
	p, err := compileParameters(name, parameters)
	if err != nil {
		return refused(err)
	}
	f.Parameters = p.document
	f.Check = func(arguments json.RawMessage) (json.RawMessage, string) { return p.hold(l, arguments) }
	return f, nil
}

// parameters are what calls of one function are held to.
type parameters struct {
	name     string
	document json.RawMessage // as it was read: one value, each key once
	weight   int             // schemas, references followed
	schema   *jsonschema.Schema
}

// compileParameters reads a schema that a caller wrote.
func compileParameters(name string, raw json.RawMessage) (*parameters, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("parameters are not JSON: %w", err)
	}
	p := &parameters{name: name}
	if p.weight, err = weigh(value); err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nowhere{})
	if err := c.AddResource(schemaBase+name, value); err != nil {
		return nil, fmt.Errorf("read parameters: %w", err)
	}
	if p.schema, err = c.Compile(schemaBase + name); err != nil {
		return nil, fmt.Errorf("parameters are no schema: %w", err)
	}
	p.document, err = json.Marshal(value)
	return p, err
}

// hold checks arguments as they came out of a sandbox. What is passed on is written
// anew from what was checked, so that nobody behind it reads something else.
func (p *parameters) hold(l Language, arguments json.RawMessage) (json.RawMessage, string) {
	if len(arguments) > cellwall.MaxCallBytes {
		return nil, l.Text(tooLarge, "most", fmt.Sprint(cellwall.MaxCallBytes))
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
	values := 0
	if err == nil {
		values, err = plainNumbers(value)
	}
	switch {
	case err != nil:
		return nil, l.Text(notJSON, "why", cut(err.Error(), 200))
	case values*p.weight > mostWork:
		return nil, l.Text(tooManyValues, "values", fmt.Sprint(values), "most", fmt.Sprint(mostWork/p.weight))
	}
	var wrong *jsonschema.ValidationError
	if err := p.schema.Validate(value); errors.As(err, &wrong) {
		return nil, l.faultsOf(p.name, p.document, wrong).String()
	} else if err != nil {
		return nil, l.Text(notJSON, "why", cut(err.Error(), 200))
	}
	checked, err := json.Marshal(value)
	if err != nil {
		return nil, l.Text(notJSON, "why", cut(err.Error(), 200))
	}
	return checked, ""
}
