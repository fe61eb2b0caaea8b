// Package mount builds mount trees with the descriptor-based mount calls, so
// that no step depends on a path that somebody else could change.
//
// File systems made here are nosuid and nodev. A clone has the attributes of
// its original until SetAttributes adds to them; it is private, as everything
// made here is: nothing that is mounted on it appears elsewhere.
//
// Minimum kernel: 5.12 (mount_setattr).
package mount
