// Package artifact takes what a program left in its output directory: a
// bounded walk over hostile names, types decided by content, caps, a hash, and
// a list of what was refused and why.
//
// # What is taken
//
// [Harvest] runs after every process of the sandbox is dead, over the fs.FS
// that the sandbox hands out. It needs from that FS:
//
//   - Open of a directory gives an fs.ReadDirFile, so that a directory of any
//     length is read in pieces;
//   - DirEntry.Info and File.Stat tell about the thing itself, never about
//     what a link points to, and Sys() gives *syscall.Stat_t where links are
//     to be counted;
//   - Open follows no link, never blocks (a FIFO that took a file's place), and
//     opens below the root only.
//
// A regular file with one name, a printable name in UTF-8 without a leading
// dot, an allowed type and a size within the caps is taken. Everything else is
// listed with its reason, but for the traces of tools (bytecode, caches, core
// dumps, checkpoints of notebooks), which are passed over in silence. Nothing a program leaves behind can make a harvest fail, only the context
// and the [Sink] can.
//
// # Masking
//
// Where the FS has a method Rewrite, texts are delivered as it gives them, without
// personal data, and hashed as they are delivered; rows are counted and formulas looked
// for in what lies there. What is no plain text – pictures, workbooks, Parquet, UTF-16 –
// is delivered as it is and marked [cellwall.FlagUnmasked].
//
// # While cells run
//
// A [Follower] harvests the directory of a session after each cell, while other
// processes of it may still write: it takes what is new or changed and lists a
// refused file once. What a rollback put there is no news.
//
// # Bounds
//
// At most 10,000 entries are looked at, 32 levels deep, the files of a
// folder before its folders, each in order of their names; at most
// [Limits].Count files of together [Limits].TotalBytes are taken, the first
// ones. Sizes are apparent sizes, so a sparse file counts with its holes; a
// file above a cap is not read. A file is read to its size and no further; one
// that changes while it is read is refused. Of files that are refused in the
// end no more is read than TotalBytes again. The list of refused files is
// bounded as well and ends with the number of the rest.
//
// # Types
//
// The first 3,072 bytes decide. The name breaks ties between kinds of text
// only (csv, tsv, json, jsonl, md, html, txt). A text that goes on with NUL
// bytes is refused. Contents are never unpacked,
// decoded or rendered: a picture, a workbook and a PDF are opaque bytes.
// Pickles and every other type that runs code when it is loaded are refused,
// archives too unless the tenant allows them, because their contents escape
// every cap below.
//
// # Tables
//
// A table (csv, tsv, jsonl, json, and html by its rows) of more than
// [Limits].Rows rows is refused: a dump of the dataset is not a result.
// Workbooks and Parquet cannot be counted without parsing them; only the size
// caps hold them.
//
// A table of text (csv, tsv) with cells that a spreadsheet may run as formulas
// is delivered as it is and marked [cellwall.FlagFormulas], also in UTF-16
// with a mark. Without one the latter is no text, and refused.
//
// # Where content goes
//
// A [Taker] hands it to any [Sink]. [Store] keeps content under its SHA-256 in a directory of the controller and
// copies it out for a person without following anything planted at the goal.
package artifact
