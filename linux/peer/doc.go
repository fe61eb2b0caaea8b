// Package peer tells who is at the other end of a Unix socket (SO_PEERCRED):
// the process that connected, as the kernel saw it then. Whoever holds the
// descriptor later has the same rights by it.
package peer
