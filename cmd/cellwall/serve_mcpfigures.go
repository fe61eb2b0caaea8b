package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cellwall/cellwall"
)

// What code has shown is kept with the result of its execution, and with nothing else.
// Its id as a resource says which one it is: the execution's, and which of its figures.
const figureMark = "_figure_"

// servedFigures are the figures of a result, as its artifacts are told of.
func servedFigures(r *cellwall.Result) (all []cellwall.Artifact) {
	figures, _ := figuresOf(r, 0)
	for i, f := range figures {
		if a, ok := f.artifact(r.ID + figureMark + strconv.Itoa(i+1)); ok {
			all = append(all, a)
		}
	}
	return all
}

// figureOf takes the id of a figure apart.
func figureOf(id string) (execution string, number int, ok bool) {
	execution, digits, ok := strings.Cut(id, figureMark)
	number, err := strconv.Atoi(digits)
	return execution, number, ok && err == nil
}

// openFigure reads a figure of an execution of the caller's tenant.
func (b *servedBox) openFigure(ctx context.Context, execution string, number int) (a cellwall.Artifact, content io.ReadCloser, err error) {
	k, err := b.all.boxes.kept.Execution(ctx, b.who.Tenant, execution)
	if err != nil {
		return a, nil, err
	}
	var r cellwall.Result
	if len(k.Result) > 0 {
		if err := json.Unmarshal(k.Result, &r); err != nil {
			return a, nil, fmt.Errorf("read the figures of an execution: %w", err)
		}
	}
	if figures, _ := figuresOf(&r, 0); number > 0 && number <= len(figures) {
		f := figures[number-1]
		if a, ok := f.artifact(execution + figureMark + strconv.Itoa(number)); ok {
			return a, io.NopCloser(bytes.NewReader(f.content)), nil
		}
	}
	return a, nil, &cellwall.Error{Code: cellwall.CodeNotFound, Op: "open artifact", Err: errors.New("the execution has shown no such figure")}
}
