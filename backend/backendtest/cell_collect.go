package backendtest

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cellwall/cellwall/abuse"
	"github.com/cellwall/cellwall/internal/testkit"
)

// collect reads the output directory as a naive controller would: by path,
// following links, whatever the file is. It shows what harvesting by descriptor
// is for. It takes the first names only, and gives up on a file that blocks.
func collect(dir string) map[string]abuse.Collected {
	const most = 200
	found := make(map[string]abuse.Collected)
	filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || len(found) >= most {
			return filepath.SkipAll
		}
		if e.IsDir() {
			return nil
		}
		rel, _ := filepath.Rel(dir, name)
		found[rel] = take(dir, name)
		return nil
	})
	return found
}

func take(dir, name string) abuse.Collected {
	var c abuse.Collected
	if info, err := os.Lstat(name); err == nil {
		c.Mode, c.Size = info.Mode().String(), info.Size()
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		c.Outside = !strings.HasPrefix(real, dir+"/")
	}
	data, err := readWithin(name, testkit.Scale(300*time.Millisecond))
	c.Blocked = errors.Is(err, errBlocked)
	c.Data = data
	if err != nil {
		c.ReadFail = err.Error()
	}
	return c
}

func readWithin(name string, patience time.Duration) ([]byte, error) {
	type answer struct {
		data []byte
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		f, err := os.Open(name)
		if err != nil {
			got <- answer{err: err}
			return
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, 64<<10))
		got <- answer{data, err}
	}()
	select {
	case a := <-got:
		return a.data, a.err
	case <-time.After(patience):
		return nil, errBlocked
	}
}
