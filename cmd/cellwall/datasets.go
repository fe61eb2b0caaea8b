package main

import (
	"fmt"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/guest"
)

// datasets joins descriptions from inside a sandbox with what is known of the
// files.
type datasets struct{}

// Merge decodes strictly and believes nothing about a file that the controller
// knows itself: name, size and hash are replaced.
func (datasets) Merge(raw []byte, inputs []controller.InputFact) ([]cellwall.Dataset, error) {
	var list []cellwall.Dataset
	if err := guest.Decode(raw, &list); err != nil {
		return nil, fmt.Errorf("decode datasets: %w", err)
	}
	if len(list) > len(inputs) {
		return nil, fmt.Errorf("decode datasets: %d described, %d given", len(list), len(inputs))
	}
	for i := range list {
		d := &list[i]
		d.ID = cellwall.NewID(cellwall.PrefixDataset)
		d.Name, d.Bytes, d.SHA256 = inputs[i].Name, inputs[i].Bytes, inputs[i].SHA256
	}
	return list, nil
}
