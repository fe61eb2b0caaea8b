// Package filelock holds files for one process at a time: the locks of flock,
// which the kernel drops when the last descriptor of an open file is closed, so
// none outlives the process that held it. A lock is of the open file: a child
// that inherits its descriptor holds it too, and files of package os are not
// inherited.
//
// A file that serves as a lock by its name is never removed by who holds it:
// another one could hold the removed file and a third its successor.
package filelock
