// Package openat reads a directory tree whose names and contents were written
// by a hostile program, and puts files into it, through one open descriptor.
//
// # What it promises
//
//   - Every path is resolved by the kernel from the descriptor with
//     openat2(2) and RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS,
//     RESOLVE_NO_MAGICLINKS and RESOLVE_NO_XDEV: no link is followed anywhere
//     in a path, and no path leaves the directory or its file system.
//   - Only regular files and directories are opened. Everything else fails
//     with a [*KindError] that names the kind, and is never opened at all: it
//     is looked at through an O_PATH descriptor first, so that no device
//     driver runs, no FIFO blocks and no socket is touched. What was then
//     opened is compared with what was looked at.
//   - Stat does not follow a link; it describes the link.
//   - Names are bytes. A name that is not valid UTF-8 is listed and opened like
//     any other, although [fs.ValidPath] would reject it; only "", NUL, ".",
//     "..", empty elements and a leading or trailing slash are refused.
//   - A listing is bounded: [Dir.ReadDirN] stops at a number of names, and
//     [Dir.ReadDir] at [MaxEntries].
//   - [Dir.Put] and [Dir.Remove] act as the owner of the directory (linux/owner), on
//     the entry itself and never on what a link leads to.
//   - Descriptors are close-on-exec, never become a controlling terminal, and
//     never block when they are opened.
//
// Bytes read and depth walked are the caller's to bound. FileInfo.Sys gives a
// *syscall.Stat_t, so that a caller can refuse files with several links or see
// holes.
//
// openat2 needs Linux 5.6.
package openat
