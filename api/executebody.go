package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

// executeBody describes the body, for the document: what it does not name is
// ignored.
type executeBody struct {
	_           struct{}           `additionalProperties:"true"`
	Code        string             `json:"code" minLength:"1" maxLength:"100000"`
	Timeout     *int               `json:"timeout,omitempty" minimum:"1" maximum:"300" default:"30" doc:"Seconds"`
	CPULimit    *float64           `json:"cpu_limit,omitempty" minimum:"0.1" maximum:"8" default:"1"`
	MemLimit    *string            `json:"mem_limit,omitempty" default:"1G" doc:"A number and b, k, m or g"`
	InputFiles  *map[string]string `json:"input_files,omitempty" doc:"Path to text; no .., not absolute"`
	ReturnFiles *bool              `json:"return_output_files,omitempty" default:"false"`
}

// execute is the body when it is right.
type execute struct {
	code    string
	timeout time.Duration
	cpus    float64
	memory  int64
	files   map[string]string
	returns bool
}

// maxBesides bounds the number of input files.
const maxBesides = 1000

// size is what lives on of the body until it runs.
func (e *execute) size() int64 {
	n := int64(len(e.code))
	for name, text := range e.files {
		n += int64(len(name) + len(text))
	}
	return n
}

// limits are those that the body asks for; 100 processes are the route's own.
func (e *execute) limits() cellwall.Limits {
	return cellwall.Limits{Timeout: e.timeout, CPUs: e.cpus, MemoryBytes: e.memory, Processes: 100}
}

// capped holds limits to what the tenant may have.
func capped(l, ceiling cellwall.Limits) cellwall.Limits {
	most := cellwall.MaxLimits()
	fillCap(&l.Timeout, ceiling.Timeout, most.Timeout)
	fillCap(&l.CPUs, ceiling.CPUs, most.CPUs)
	fillCap(&l.MemoryBytes, ceiling.MemoryBytes, most.MemoryBytes)
	fillCap(&l.Processes, ceiling.Processes, most.Processes)
	return l
}

// fillCap lowers a field to a ceiling; 0 of a ceiling = the default of limits.
func fillCap[T int | int64 | float64 | time.Duration](field *T, ceiling, most T) {
	if ceiling > 0 {
		most = min(most, ceiling)
	}
	*field = min(*field, most)
}

// executeReader reads the fields of a body, and notes what is wrong with them.
type executeReader struct {
	fields map[string]json.RawMessage
	faults []executeFault
}

func (r *executeReader) wrong(field, kind, format string, args ...any) {
	loc := []string{"body"}
	if field != "" {
		loc = append(loc, field)
	}
	r.faults = append(r.faults, executeFault{Type: kind, Loc: loc, Msg: fmt.Sprintf(format, args...)})
}

// field decodes a field into v, and reports whether it is there; null is as good
// as left out.
func (r *executeReader) field(name string, v any, kind string) bool {
	raw, ok := r.fields[name]
	if !ok || bytes.Equal(raw, []byte("null")) {
		return false
	}
	if json.Unmarshal(raw, v) != nil {
		r.wrong(name, kind+"_type", "Input should be a valid %s", kind)
		return false
	}
	return true
}

// readExecute reads a body, or says what is wrong with it.
func readExecute(raw []byte) (*execute, []executeFault) {
	r := &executeReader{}
	e := &execute{timeout: 30 * time.Second, cpus: 1, memory: cellwall.GiB}
	if !utf8.Valid(raw) || json.Unmarshal(raw, &r.fields) != nil || r.fields == nil {
		r.wrong("", "json_invalid", "JSON decode error")
		return nil, r.faults
	}
	r.code(e)
	var timeout float64
	if r.field("timeout", &timeout, "integer") {
		if timeout != math.Trunc(timeout) || timeout < 1 || timeout > 300 {
			r.wrong("timeout", "int_range", "Input should be a whole number from 1 to 300")
		}
		e.timeout = time.Duration(timeout) * time.Second
	}
	if r.field("cpu_limit", &e.cpus, "number") && !(e.cpus >= 0.1 && e.cpus <= 8) {
		r.wrong("cpu_limit", "float_range", "Input should be from 0.1 to 8.0")
	}
	r.memory(e)
	r.field("return_output_files", &e.returns, "boolean")
	if r.field("input_files", &e.files, "dictionary") {
		r.besides(e.files)
	}
	return e, r.faults
}

func (r *executeReader) code(e *execute) {
	if _, ok := r.fields["code"]; !ok {
		r.wrong("code", "missing", "Field required")
		return
	}
	if !r.field("code", &e.code, "string") {
		if len(r.faults) == 0 {
			r.wrong("code", "string_type", "Input should be a valid string")
		}
		return
	}
	switch n := utf8.RuneCountInString(e.code); {
	case n < 1:
		r.wrong("code", "string_too_short", "String should have at least 1 character")
	case n > cellwall.MaxCodeBytes:
		r.wrong("code", "string_too_long", "String should have at most %d characters", cellwall.MaxCodeBytes)
	}
}

var memoryText = regexp.MustCompile(`^([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([bkmgBKMG])?(?:i?[bB])?$`)

// memory reads "1G", as container tools spell it. Less than an interpreter needs is
// out of range.
func (r *executeReader) memory(e *execute) {
	var text string
	if !r.field("mem_limit", &text, "string") {
		return
	}
	found := memoryText.FindStringSubmatch(text)
	if found == nil {
		r.wrong("mem_limit", "value_error", "Value error, mem_limit should be a number and a unit, as in 512M or 1G")
		return
	}
	number, err := strconv.ParseFloat(found[1], 64)
	for range strings.Index("bkmg", strings.ToLower(found[2])) {
		number *= 1024
	}
	if err != nil || number < float64(64*cellwall.MiB) || number > float64(1<<50) {
		r.wrong("mem_limit", "value_error", "Value error, mem_limit should be at least 64M")
		return
	}
	e.memory = int64(number)
}

// besides checks the paths of input files.
func (r *executeReader) besides(files map[string]string) {
	if len(files) > maxBesides {
		r.wrong("input_files", "too_long", "Dictionary should have at most %d items", maxBesides)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !besideName(name) {
			r.wrong("input_files", "value_error", "Value error, %.100q is not a path below the working directory", name)
			return
		}
	}
}

func besideName(name string) bool {
	if name == "" || len(name) > 1024 || strings.HasPrefix(name, "/") || strings.ContainsAny(name, "\\\x00") || !utf8.ValidString(name) {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." || len(part) > 255 {
			return false
		}
	}
	return path.Clean(name) != "." && !strings.HasSuffix(name, "/")
}
