package tools

import (
	"encoding/json"
	"fmt"
	"math/big"
	"sort"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Fault is one thing that is wrong with the arguments of a call.
type Fault struct {
	Field   string `json:"field"` // "where[0].is"; "" = the whole
	Problem string `json:"problem"`
}

// Faults are all of them, at most 20. They are text for a model, not an error.
type Faults []Fault

// mostFaults of one call; who reads 20 has enough to do.
const mostFaults = 20

// String is one line for each fault.
func (f Faults) String() string {
	lines := make([]string, len(f))
	for i, one := range f {
		lines[i] = strings.TrimPrefix(one.Field+": "+one.Problem, ": ")
	}
	return strings.Join(lines, "\n")
}

// faults tells what the schema found, in its order of fields.
func (l Language) faults(tool string, e *jsonschema.ValidationError) Faults {
	return l.faultsOf(tool, schemaOf(tool), e)
}

func (l Language) faultsOf(tool string, schema json.RawMessage, e *jsonschema.ValidationError) Faults {
	var list Faults
	l.collect(tool, schema, e, &list)
	sort.SliceStable(list, func(i, k int) bool { return list[i].Field < list[k].Field })
	return list[:min(len(list), mostFaults)]
}

func (l Language) collect(tool string, schema json.RawMessage, e *jsonschema.ValidationError, list *Faults) {
	at := path(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			*list = append(*list, Fault{join(at, name), l.Text(isMissing)})
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			*list = append(*list, Fault{join(at, cut(name, 64)), l.Text(isUnknown, "tool", tool, "fields", l.list(fields(schema, at)))})
		}
	case *kind.AnyOf:
		*list = append(*list, Fault{at, l.Text(noValue)})
	default:
		if len(e.Causes) > 0 {
			for _, cause := range e.Causes {
				l.collect(tool, schema, cause, list)
			}
			return
		}
		*list = append(*list, Fault{at, l.problem(e)})
	}
}

// problem says what is wrong with one value.
func (l Language) problem(e *jsonschema.ValidationError) string {
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return l.Text(wrongType, "got", k.Got, "want", l.list(k.Want))
	case *kind.Enum:
		var names []string
		for _, v := range k.Want {
			names = append(names, fmt.Sprint(v))
		}
		return l.Text(wrongChoice, "got", cut(fmt.Sprint(k.Got), 64), "want", l.list(names))
	case *kind.MinLength:
		return l.Text(isEmpty)
	case *kind.MaxLength:
		return l.Text(tooLong, "got", fmt.Sprint(k.Got), "most", fmt.Sprint(k.Want))
	case *kind.MinItems:
		return l.Text(isEmpty)
	case *kind.MaxItems:
		return l.Text(tooMany, "got", fmt.Sprint(k.Got), "most", fmt.Sprint(k.Want))
	case *kind.Minimum:
		return l.Text(tooSmall, "got", plain(k.Got), "least", plain(k.Want))
	case *kind.Maximum:
		return l.Text(tooBig, "got", plain(k.Got), "most", plain(k.Want))
	}
	return l.Text(noFit)
}

func plain(r *big.Rat) string { return cut(strings.TrimSuffix(r.FloatString(3), ".000"), 32) }

// path writes a location as a program would.
func path(location []string) string {
	at := ""
	for _, step := range location {
		if strings.Trim(step, "0123456789") == "" && at != "" {
			at += "[" + step + "]"
			continue
		}
		at = join(at, cut(step, 64))
	}
	return at
}

func join(at, name string) string { return strings.TrimPrefix(at+"."+name, ".") }

var (
	notJSON       = Phrase{"the arguments are not one JSON object: {why}", "参数不是一个合法的 JSON 对象：{why}"}
	tooLarge      = Phrase{"the arguments have more than {most} bytes", "参数超过 {most} 字节"}
	tooManyValues = Phrase{"the arguments have {values} values, at most {most} can be checked", "参数共有 {values} 个值，最多可检查 {most} 个"}

	isMissing   = Phrase{"is required", "必填"}
	isUnknown   = Phrase{"is not a field of {tool}; leave it out (fields: {fields})", "不是 {tool} 的字段，请去掉（可用字段：{fields}）"}
	wrongType   = Phrase{"is of type {got}, must be {want}", "类型是 {got}，应为 {want}"}
	wrongChoice = Phrase{"is {got}, must be one of: {want}", "值是 {got}，应为以下之一：{want}"}
	isEmpty     = Phrase{"must not be empty", "不能为空"}
	tooLong     = Phrase{"has {got} characters, at most {most}", "有 {got} 个字符，最多 {most} 个"}
	tooMany     = Phrase{"has {got} items, at most {most}", "有 {got} 项，最多 {most} 项"}
	tooSmall    = Phrase{"is {got}, at least {least}", "值是 {got}，最小为 {least}"}
	tooBig      = Phrase{"is {got}, at most {most}", "值是 {got}，最大为 {most}"}
	noValue     = Phrase{"must be text, a number, true or false, or a list of these", "应为文本、数字、true 或 false，或由它们组成的列表"}
	noFit       = Phrase{"does not fit the schema", "不符合参数规格"}
)
