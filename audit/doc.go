// Package audit is the append-only, chained record of what was executed.
//
// # Files
//
// A [Log] writes <dir>/YYYY-MM-DD.jsonl, one file per UTC day, mode 0600. One
// entry is one JSON document on one line; entries say their own version ("v").
// Nothing in a file is ever changed. Before the entry's own fields a line has
// its link:
//
//	{"seq":7,"prev":"<hash of record 6>","hash":"<hash>","v":1,"id":"exec_…",…}
//
// hash is SHA-256, in hex, of "7 <prev> " and the entry as JSON without the
// link. The first record has seq 1 and a prev of zeros; the chain goes on from
// day to day. Lines of versions before the chain stand before it, and are counted.
//
//	head         seq and hash of the latest record, and the lock of all who append
//	anchor.json  seq and hash of the latest record that was let go, signed
//	reserve      room for records when the disk is full ([Log.Guard])
//
// # Promises
//
//   - Append returns nil only after the line is written: it survives the death of
//     this process. Its sync, which all lines of 25 ms share, begins within that
//     time or behind the sync under way, and then it survives the loss of the
//     machine's power, too. When a sync fails, Healthy tells until one succeeds.
//     Lines at the end that power took, with the head, leave a shorter chain that
//     is whole: they show against a head or a [Receipt] that somebody else keeps.
//     Entries that come while a write is under way share the next one, so nobody
//     waits for more than two.
//   - Any number of processes may append to one directory. Each takes the lock
//     of the head (flock) for its one write; the kernel drops the lock of a
//     process that dies.
//   - A line that could not be written whole, because the disk is full, is
//     taken back, and Append fails; Healthy tells until a write succeeds. A line
//     that a killed process or power left in part is closed by the next Append with a
//     newline, so it damages no other.
//   - [Verify] names each record that is changed, missing or reordered, and lines
//     that are torn. Who can write the files can also write a new chain: that
//     shows against a head or a [Receipt] that somebody else keeps.
//   - Records are kept for at least 30 days; [Log.Prune] lets whole days go.
//   - [Read] gives whole lines that hold a JSON document, and counts the rest.
package audit
