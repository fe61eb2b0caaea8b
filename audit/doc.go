// Package audit is the append-only record of what was executed.
//
// # Files
//
// A [Log] writes <dir>/YYYY-MM-DD.jsonl, one file per UTC day, mode 0600. One
// entry is one JSON document on one line; entries say their own version ("v").
// Nothing in a file is ever changed.
//
// # Promises
//
//   - Append returns nil only after the whole line is in the file: it survives
//     the death of this process, not the loss of the machine's power.
//   - Any number of processes may append to one directory. Each takes the
//     file's lock (flock) for its one write; the kernel drops the lock of a
//     process that dies.
//   - A line that could not be written whole, because the disk is full, is
//     taken back, and Append fails. A line that a killed process left in part
//     is closed by the next Append with a newline, so it damages no other.
//   - [Read] gives whole lines that hold a JSON document, and counts the rest.
package audit
