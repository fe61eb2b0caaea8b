package main

import (
	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/dataset"
)

// openInputs opens the data files of a command line, each within what the limits
// leave to all together. undo closes them.
func openInputs(paths []string, l cellwall.Limits) (inputs []cellwall.Input, undo func(), err error) {
	files, err := dataset.OpenAll(paths, l.WithDefaults().InputBytes)
	if err != nil {
		// Whatever is wrong with a file, whoever named it has to act.
		return nil, nil, usage("", err, cellwall.HintOf(err))
	}
	for _, f := range files {
		inputs = append(inputs, f.Input())
	}
	return inputs, func() {
		for _, f := range files {
			f.Close() // opened for reading: nothing can be lost
		}
	}, nil
}
