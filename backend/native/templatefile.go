package native

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/linux/fdpass"
)

// templateName is where the driver writes a template, below /workspace/output.
const templateName = "template"

// digest names the content of inputs and what they are called.
func digest(inputs []cellwall.Input) (string, error) {
	sum := sha256.New()
	for _, input := range inputs {
		fd, err := fdpass.Duplicate(input.FD)
		if err != nil {
			return "", fmt.Errorf("read input %s: %w", input.Name, err)
		}
		file := os.NewFile(uintptr(fd), input.Name)
		fmt.Fprintf(sum, "%d %s %d\n", len(input.Name), input.Name, input.Size)
		n, err := io.Copy(sum, io.NewSectionReader(file, 0, input.Size))
		file.Close()
		if err == nil && n != input.Size {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return "", fmt.Errorf("read input %s: %w", input.Name, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
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
	if err != nil {
		return nil, err
	}
	if end.Status != cellwall.StatusOK {
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
		Code: cellwall.CodeBadRequest, Op: "parse dataset", Err: why,
		Hint: "run without a template: the dataset is parsed in each sandbox then",
	}
}
