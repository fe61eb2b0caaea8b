package native

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/linux/fdpass"
)

// templateName is where the driver writes a template, below /workspace/output.
const templateName = "template"

// load is what the stem of a template starts with. The zero value is that of an
// ordinary one.
type load struct {
	columns *os.File // written by the driver, hostile
	inputs  []heldInput
	files   []*os.File // of inputs
	memory  int64      // that the zygote may take for what it builds, in bytes
}

// heldInput is a file that the sandboxes of a template see.
type heldInput struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

func held(inputs []cellwall.Input) []heldInput {
	all := make([]heldInput, len(inputs))
	for i, in := range inputs {
		all[i] = heldInput{in.Name, in.Size}
	}
	return all
}

// bytes is what the files of l take in memory.
func (l load) bytes() (n int64) {
	for _, in := range l.inputs {
		n += in.Size
	}
	return n
}

// passed are the descriptors that go to the warden, in the order that boot takes
// them.
func (l load) passed() []*os.File {
	if l.columns == nil {
		return nil
	}
	return append([]*os.File{l.columns}, l.files...)
}

// duplicateInputs returns descriptors of our own: the caller may close his.
func duplicateInputs(inputs []cellwall.Input) (files []*os.File, err error) {
	for _, in := range inputs {
		fd, err := fdpass.Duplicate(in.FD)
		if err != nil {
			closeAll(files)
			return nil, fmt.Errorf("pass input %s: %w", in.Name, err)
		}
		files = append(files, os.NewFile(uintptr(fd), in.Name))
	}
	return files, nil
}

// export parses the inputs of spec behind a wall that is thrown away, and
// returns the file of columns that came out of it. Nobody can write to that any
// more: every process that could has ended. It is hostile all the same, and for
// the zygote to check.
func (b *Backend) export(ctx context.Context, spec cellwall.Spec) (*os.File, error) {
	// The memory limit holds for the file as well: it lies in memory.
	spec.Limits.WorkspaceBytes = max(spec.Limits.WorkspaceBytes, spec.Limits.MemoryBytes)
	opened, err := b.Open(ctx, spec)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	s := opened.(*sandbox)
	s.exports = true
	var said cellwall.ExecutionError
	end, err := s.Run(ctx, cellwall.Code{Execution: cellwall.NewID(cellwall.PrefixExecution), Describe: true},
		func(_ context.Context, e cellwall.Event) error {
			if e.Kind == cellwall.EventError {
				return json.Unmarshal(e.Data, &said)
			}
			return nil
		})
	switch {
	case err != nil:
		return nil, err
	case end.Status == cellwall.StatusCancelled:
		return nil, context.Cause(ctx)
	case end.Status != cellwall.StatusOK:
		return nil, unfit(end, said)
	}
	if _, err := s.Harvest(ctx); err != nil {
		return nil, err
	}
	return s.output.File(templateName)
}

// unfit says why no template came out of a run, in the driver's words where it
// had any.
func unfit(end cellwall.End, said cellwall.ExecutionError) error {
	why := fmt.Errorf("the run ended %s (%s)", end.Status, end.Cause)
	if said.Message != "" {
		why = errors.New(said.Message)
	}
	return &cellwall.Error{
		Code: cellwall.CodeDatasetUnreadable, Op: "parse dataset", Err: why,
		Hint: "run without a template: the dataset is parsed in each sandbox then",
	}
}
