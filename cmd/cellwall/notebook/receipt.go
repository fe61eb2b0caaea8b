package notebook

import (
	"encoding/json"

	"github.com/cellwall/cellwall"
)

// key is where receipts stand in the metadata of a document and of its cells.
const key = "cellwall"

// Receipt says what ran a document.
type Receipt struct {
	V           int                  `json:"v"` // 1
	Session     string               `json:"session"`
	Backend     string               `json:"backend"`
	Environment string               `json:"environment"` // with its digest
	Inputs      []cellwall.InputFact `json:"inputs"`
}

// CellReceipt says how a cell ended.
type CellReceipt struct {
	Execution string          `json:"execution"`
	Status    cellwall.Status `json:"status"`
	Cause     cellwall.Cause  `json:"cause,omitempty"`
	Artifacts []File          `json:"artifacts,omitempty"` // new or changed
}

// File is an artifact.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Sign notes what ran the document.
func (n *Notebook) Sign(r Receipt) error {
	r.V = 1
	return put(&n.metadata, r)
}

// Receipt returns what ran the document, false when nothing of ours did.
func (n *Notebook) Receipt() (r Receipt, ok bool) {
	err := json.Unmarshal(n.metadata[key], &r)
	return r, err == nil && r.V == 1
}

// Sign notes how the cell ended.
func (c *Cell) Sign(r *cellwall.Result) error {
	receipt := CellReceipt{Execution: r.ID, Status: r.Status, Cause: r.Cause}
	for _, a := range r.Artifacts {
		receipt.Artifacts = append(receipt.Artifacts, File{Name: a.Name, Bytes: a.Bytes, SHA256: a.SHA256})
	}
	return put(&c.metadata, receipt)
}

// Receipt returns how the cell ended, false when it did not run here.
func (c *Cell) Receipt() (r CellReceipt, ok bool) {
	err := json.Unmarshal(c.metadata[key], &r)
	return r, err == nil && r.Status != ""
}

// Clear takes away what the cell left when it last ran.
func (c *Cell) Clear() {
	c.Count, c.Outputs = 0, nil
	delete(c.metadata, key)
}

func put(into *fields, v any) error {
	raw, err := marshal(v)
	if err != nil {
		return err
	}
	if *into == nil {
		*into = fields{}
	}
	(*into)[key] = raw
	return nil
}
