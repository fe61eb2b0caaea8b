// Package dataset is about the files that users upload: how one is opened and
// named, how many of its rows are given to a program, what a sandbox said about
// it, and where stored ones are kept.
//
// It never parses one. Bytes of a user's file are copied, counted and hashed
// here; what they mean is found out inside a sandbox, and comes back as hostile
// data.
//
// # Opening
//
// [Open] gives a [File]: a regular file that is not empty and not larger than
// the cap, opened for reading without blocking, so that a directory, a named
// pipe or a device is refused instead of waited for. A link is followed: who
// names a path on a command line may name a link. From then on the descriptor
// counts, never the path. [OpenAll] opens several and gives twins among their
// names a number, "sales.csv" and "sales_2.csv", as their tables get one.
//
// [SafeName] makes any name into one that can stand below /workspace/input:
// the last element of a path, valid UTF-8 without control characters and
// separators, at most [MaxName] bytes, the ending kept.
//
// The hash of a file is computed when [File.SHA256] is first asked for it, by
// reads at positions: the offset of the descriptor, which a sandbox may share,
// stays where it is.
//
// # Describing
//
// [Merge] takes the payload in which a sandbox describes its inputs and gives
// the descriptions. Identity, name, size and hash are those known outside; the
// rest is the sandbox's word, decoded strictly: one JSON value, no unknown
// field, valid UTF-8, one description per file, and every count, length and
// number of things within the bounds of this package. What breaks a bound is
// refused as a whole with [ErrDescription]; control characters become spaces.
//
// # Row limit
//
// A [Policy] says how many rows of a table a program is given, and which: a
// random sample with a fixed seed in the order of the file, or the head.
//
// # Storing
//
// A [Store] keeps uploads by content, below one directory:
//
//	content/<sha256>     each content once
//	sets/<id>.data       a hard link to the content, one per dataset
//	sets/<id>.json       the Record, written last: without it there is no dataset
//	incoming/            uploads on their way
//
// The number of links counts the users of a content, so that it needs no
// lock: [Store.Delete] removes the content when its own link was the last but
// one, and a [Store.Put] that meets this moment stores the content again.
// Where a file system has no hard links, contents are not shared.
//
// A dataset belongs to the tenant that stored it; to everyone else it does not
// exist. Uploads are counted while they are read and end at the cap. What a
// crash left in incoming is removed by [Store.Sweep].
package dataset
