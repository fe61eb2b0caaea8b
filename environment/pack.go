package environment

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// packedSize is the size of the root as a tar compressed by zstd, as an image
// layer would be. Nothing is written.
func packedSize(ctx context.Context, root *os.Root, m Manifest, each func(path string, size int64)) (int64, error) {
	var n counter
	z, err := zstd.NewWriter(&n, zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		return 0, fmt.Errorf("measure packed size: %w", err)
	}
	if err := errors.Join(writeTar(ctx, root, m, z, each), z.Close()); err != nil {
		return 0, fmt.Errorf("measure packed size: %w", err)
	}
	return int64(n), nil
}

func writeTar(ctx context.Context, root *os.Root, m Manifest, w io.Writer, each func(string, int64)) error {
	t := tar.NewWriter(w)
	sorted := slices.SortedFunc(slices.Values(m), func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	for _, e := range sorted {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		h := &tar.Header{Name: e.Path, Mode: int64(e.Mode.Perm()), Size: e.Size, Typeflag: tar.TypeReg}
		switch {
		case e.Link != "":
			h.Typeflag, h.Linkname = tar.TypeSymlink, e.Link
		case e.Mode.IsDir():
			h.Typeflag = tar.TypeDir
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if h.Typeflag == tar.TypeReg {
			if err := copyFile(t, root, e.Path); err != nil {
				return err
			}
		}
		each(e.Path, e.Size)
	}
	return t.Close()
}

func copyFile(w io.Writer, root *os.Root, name string) error {
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
