//go:build unix

package artifact

import (
	"io/fs"
	"syscall"
)

// links returns how many names a file has, 1 when its file system cannot say.
func links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st != nil {
		return uint64(st.Nlink) // its width differs between architectures
	}
	return 1
}

// inode returns the number of a file, 0 when its file system cannot say.
func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st != nil {
		return st.Ino
	}
	return 0
}
