// Package owner touches files as whoever they belong to: a process of root's that
// works in a directory of somebody hostile must not lend it root's rights, and
// what it makes there must be that somebody's.
//
// [ID.Do] changes who the calling thread is to file systems (setfsuid(2)), and with
// it drops the capabilities that pass over permissions. Nobody else is concerned:
// the thread is one of its own, and one that cannot become itself again is thrown
// away.
package owner
