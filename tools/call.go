package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxArguments bounds what a call may weigh before anything reads it.
const maxArguments = 256 << 10

// Call is a call of a tool that holds to its schema: exactly one of the fields
// after Tool is there.
type Call struct {
	Tool    string
	Inspect *Inspect
	Query   *Query
	Chart   *Chart
	Python  *Program
	Fetch   *Fetch
}

// Inspect asks for the description of the tables.
type Inspect struct {
	Table string `json:"table"` // "" = all
}

// Query is a read-only question in SQL.
type Query struct {
	SQL     string `json:"sql"`
	MaxRows int    `json:"max_rows"` // 1 to 200
}

// Program is what a model may say of a program: these three fields and no other.
type Program struct {
	Code              string   `json:"code"`
	Purpose           string   `json:"purpose"`
	ExpectedArtifacts []string `json:"expected_artifacts"`
}

const (
	defaultRows = 50
	schemaBase  = "https://cellwall.invalid/" // a schema needs an address; nothing is fetched
)

// Schemas reads calls. It is safe for concurrent use.
type Schemas struct{ of map[string]*jsonschema.Schema }

// Compile prepares the schemas.
func Compile() (*Schemas, error) {
	c, s := jsonschema.NewCompiler(), &Schemas{of: map[string]*jsonschema.Schema{}}
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nowhere{})
	for _, name := range append(Names(), FetchData) {
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaOf(name)))
		if err != nil {
			return nil, fmt.Errorf("read schema of %s: %w", name, err)
		}
		if err := c.AddResource(schemaBase+name, document); err != nil {
			return nil, fmt.Errorf("read schema of %s: %w", name, err)
		}
		if s.of[name], err = c.Compile(schemaBase + name); err != nil {
			return nil, fmt.Errorf("compile schema of %s: %w", name, err)
		}
	}
	return s, nil
}

// nowhere loads no schema from anywhere.
type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, errors.New("load " + url + ": not built in")
}

// Decode reads the arguments of a call as they came from a model. A call that
// does not hold to the schema comes back as faults that tell the model what to
// change, and nothing of it is used.
func (s *Schemas) Decode(tool string, arguments []byte, l Language) (Call, Faults) {
	schema := s.of[tool]
	switch {
	case schema == nil:
		return Call{}, Faults{{Problem: l.Text(unknownTool, "tool", cut(tool, 64))}}
	case len(arguments) > maxArguments:
		return Call{}, Faults{{Problem: l.Text(tooLarge, "most", fmt.Sprint(maxArguments))}}
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
	if err != nil {
		return Call{}, Faults{{Problem: l.Text(notJSON, "why", cut(err.Error(), 200))}}
	}
	var wrong *jsonschema.ValidationError
	if err := schema.Validate(value); errors.As(err, &wrong) {
		return Call{}, l.faults(tool, wrong)
	} else if err != nil {
		return Call{}, Faults{{Problem: l.Text(notJSON, "why", cut(err.Error(), 200))}}
	}
	call, err := unpack(tool, arguments)
	if err != nil {
		return Call{}, Faults{{Problem: l.Text(notJSON, "why", cut(err.Error(), 200))}}
	}
	if call.Chart != nil {
		if faults := call.Chart.check(l); faults != nil {
			return Call{}, faults
		}
	}
	return call, nil
}

// unpack reads what the schema has let through.
func unpack(tool string, arguments []byte) (Call, error) {
	c := Call{Tool: tool}
	var into any
	switch tool {
	case InspectData:
		c.Inspect = &Inspect{}
		into = c.Inspect
	case QueryData:
		c.Query = &Query{MaxRows: defaultRows}
		into = c.Query
	case MakeChart:
		c.Chart = &Chart{}
		into = c.Chart
	case RunPython:
		c.Python = &Program{}
		into = c.Python
	case FetchData:
		c.Fetch = &Fetch{}
		into = c.Fetch
	}
	return c, json.Unmarshal(arguments, into)
}
