// Package notebook reads and writes Jupyter notebooks, and tells two runs of
// one apart.
//
// # Format
//
// nbformat 4: any minor version is read, 4.5 is written, where every cell has an
// id. What a document has besides – metadata, attachments, keys of other
// programs – is kept as it is. As Jupyter writes it, keys are sorted, the
// indentation is one space, and texts are lists of lines. A document is at most
// [MaxBytes] long.
//
// # Outputs
//
// A [Recorder] hears the events of a cell and keeps what a notebook shows of
// them, in their order and within bounds. They come out of a sandbox: a MIME
// type that is no JSON holds a text, or it is left out.
//
// # Receipts
//
// Below metadata.cellwall a notebook says where its outputs come from: the
// environment with its digest, the inputs and the artifacts with their hashes,
// and of each cell how it ended. That is what a replay is compared with.
package notebook
