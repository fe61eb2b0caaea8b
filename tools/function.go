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
	schema, document, err := compileParameters(name, parameters)
	if err != nil {
		return refused(err)
	}
	f.Parameters = document
	f.Check = func(arguments json.RawMessage) (json.RawMessage, string) {
		return l.hold(name, document, schema, arguments)
	}
	return f, nil
}

// compileParameters reads a schema that a caller wrote. The document is the schema as
// it was read: one value, each key once.
func compileParameters(name string, raw json.RawMessage) (*jsonschema.Schema, json.RawMessage, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, nil, fmt.Errorf("parameters are not JSON: %w", err)
	}
	if err := weigh(value); err != nil {
		return nil, nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nowhere{})
	if err := c.AddResource(schemaBase+name, value); err != nil {
		return nil, nil, fmt.Errorf("read parameters: %w", err)
	}
	schema, err := c.Compile(schemaBase + name)
	if err != nil {
		return nil, nil, fmt.Errorf("parameters are no schema: %w", err)
	}
	document, err := json.Marshal(value)
	return schema, document, err
}

// hold checks arguments as they came out of a sandbox. What is passed on is written
// anew from what was checked, so that nobody behind it reads something else.
func (l Language) hold(name string, document json.RawMessage, schema *jsonschema.Schema, arguments json.RawMessage) (json.RawMessage, string) {
	if len(arguments) > cellwall.MaxCallBytes {
		return nil, l.Text(tooLarge, "most", fmt.Sprint(cellwall.MaxCallBytes))
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
	if err == nil {
		err = plainNumbers(value)
	}
	if err != nil {
		return nil, l.Text(notJSON, "why", cut(err.Error(), 200))
	}
	var wrong *jsonschema.ValidationError
	if err := schema.Validate(value); errors.As(err, &wrong) {
		return nil, l.faultsOf(name, document, wrong).String()
	} else if err != nil {
		return nil, l.Text(notJSON, "why", cut(err.Error(), 200))
	}
	checked, err := json.Marshal(value)
	if err != nil {
		return nil, l.Text(notJSON, "why", cut(err.Error(), 200))
	}
	return checked, ""
}
