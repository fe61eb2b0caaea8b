// Package mount builds mount trees with the descriptor-based mount calls, so
// that no step depends on a path that somebody else could change.
//
// Every tree made here is nosuid, and nodev unless said otherwise, and private:
// nothing that is mounted on it appears elsewhere. Minimum
// kernel: 5.12 (mount_setattr).
package mount
