package keep_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

var fileTime = time.Unix(1_700_000_000, 123_456_789)

// describe says all that a checkpoint promises about a tree.
func describe(t interface {
	Helper()
	Fatal(...any)
}, dir string,
) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir+"/.", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		st := info.Sys().(*syscall.Stat_t)
		text := fmt.Sprint(info.Mode(), " ", info.ModTime().UnixNano(), " of ", st.Uid)
		switch {
		case info.Mode().IsRegular():
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += fmt.Sprintf(" %d %q in %d", st.Ino, brief(content), st.Blocks)
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text += " to " + to
		}
		name, err := filepath.Rel(dir, path)
		all[name] = text
		return err
	}))
	return all
}

// brief is a content, or what tells a long one from others.
func brief(content []byte) string {
	if len(content) <= 64 {
		return string(content)
	}
	sum := uint64(14695981039346656037)
	for _, b := range content {
		sum = (sum ^ uint64(b)) * 1099511628211
	}
	return fmt.Sprintf("%d bytes, %x", len(content), sum)
}

func same(a, b map[string]string) bool { return maps.Equal(a, b) }
