package environment

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
)

// packedSize is the size of the root as a gzipped tar, as an image layer would
// be. Nothing is written. Chunks are compressed side by side, which costs a
// little in size, so the answer is an upper bound.
func packedSize(ctx context.Context, root *os.Root, m Manifest, each func(path string, size int64)) (int64, error) {
	r, w := io.Pipe()
	go func() { w.CloseWithError(writeTar(ctx, root, m, w, each)) }()
	n, err := gzipSize(r)
	if err = errors.Join(err, r.CloseWithError(err)); err != nil {
		return 0, fmt.Errorf("measure packed size: %w", err)
	}
	return n, nil
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

// packChunk is how much one member of the gzip stream holds.
const packChunk = 8 << 20

// gzipSize compresses r in chunks, as many at once as there are processors to
// wait for, and adds up the sizes.
func gzipSize(r io.Reader) (int64, error) {
	var (
		mu    sync.Mutex
		total int64
		errs  error
		wg    sync.WaitGroup
		slots = make(chan struct{}, 4)
	)
	for {
		chunk := make([]byte, packChunk)
		n, err := io.ReadFull(r, chunk)
		if n > 0 {
			slots <- struct{}{}
			wg.Go(func() {
				size, err := gzipped(chunk[:n])
				mu.Lock()
				total, errs = total+size, errors.Join(errs, err)
				mu.Unlock()
				<-slots
			})
		}
		if err != nil {
			wg.Wait()
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = nil
			}
			return total, errors.Join(errs, err)
		}
	}
}

func gzipped(chunk []byte) (int64, error) {
	var n counter
	z, err := gzip.NewWriterLevel(&n, gzip.DefaultCompression)
	if err != nil {
		return 0, err
	}
	_, err = z.Write(chunk)
	return int64(n), errors.Join(err, z.Close())
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
