// Package keep takes checkpoints of a directory tree in memory that a hostile
// program writes, and brings them back in place.
//
// # Where things are
//
// One tmpfs holds two directories: Work, which the program sees, and Hidden,
// which nothing but the [Store] reaches. Hidden has
//
//	f<n>  a hard link of every file (FIFO, socket, symbolic link) that a
//	      checkpoint knows: what the program deletes or replaces lives on there
//	p<n>  the contents that one checkpoint copied, one after the other
//	t     directories that are being taken apart or are waiting for their place
//
// Hard links do not cross mounts: root must be the root of one mount that has
// both, whatever else mounts Work.
//
// # What a checkpoint holds
//
// Names, types, permissions and modification times of all that is below Work,
// and the bytes of its regular files, holes as holes. Not: owners, access times,
// extended attributes, what was written to a pipe or socket, files without a
// name, and directories as such: one that was deleted comes back as a new one, so
// that a descriptor of the old one is stale. A directory that was only renamed is
// moved back.
//
// [Store.Take] copies a file when its size or modification time moved. When only
// another time moved (a read, a mapping, a link, a new mode) it compares bytes
// first: on tmpfs a write through a shared mapping moves no time at all, but
// mmap(2) moves the access time. Work must therefore be mounted strictatime.
// Mappings that live on are found in the maps of processes ([Store.Mapped]), and
// their files compared each time; when maps cannot be read, all files are.
//
// [Store.Restore] works in place: what a descriptor or a mapping of a program
// that waits stands for is the same file with the content of before. A private
// mapping keeps the pages that it changed as long as the file was not made
// shorter. No program may run below Work meanwhile, or its writes go where they
// please; Work stays the only place that it can harm.
//
// # Bounds
//
// Copies, and files that only Hidden still holds, together stay below
// Options.Budget: when a checkpoint needs room the oldest ones, or those that
// Options.Order names, lose their files ([Taken].Stripped). A file for which there is none even then is left out and
// named ([Taken].Over); going back is right for it as long as it was not touched.
// More than [MaxEntries] names, or directories deeper than [MaxDepth], are not
// kept at all ([Taken].Complete is false).
//
// What Work itself uses is [Store.Over]'s to say, since the file system is larger
// than Work may become.
//
// # Whose power
//
// All of it is done by descriptor, one name at a time, never following a link. A
// tmpfs of another user namespace takes files of its own users only, so a root
// from outside acts as Work's owner meanwhile (setfsuid, on a thread of its own),
// which also lends a hostile name no power that its author lacks. A directory or
// file that its owner shut (mode 0) is opened by giving it a mode for a moment.
//
// Needs Linux 5.12. Before 6.13, where two writes within a tick of the clock
// look the same, Take waits for the next tick when files changed just now.
package keep
