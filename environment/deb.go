package environment

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ulikunitz/xz"
)

// unpackDeb places the files of a .deb. Maintainer scripts and metadata of the
// package are not looked at.
func unpackDeb(ctx context.Context, path string, to *placer) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open package: %w", err)
	}
	defer f.Close()
	return unpackDebFrom(ctx, f, to)
}

func unpackDebFrom(ctx context.Context, r io.Reader, to *placer) error {
	ar, err := newArReader(r)
	if err != nil {
		return err
	}
	for {
		name, body, err := ar.next()
		if errors.Is(err, io.EOF) {
			return errors.New("read package: it has no data.tar")
		}
		if err != nil {
			return err
		}
		suffix, ok := strings.CutPrefix(name, "data.tar")
		if !ok {
			continue
		}
		data, err := decompress(suffix, body)
		if err != nil {
			return fmt.Errorf("read package: %w", err)
		}
		if err := unpackTar(ctx, data, to); err != nil {
			return err
		}
		return drain(data, ar.body)
	}
}

// drain reads what follows the last entry, so that checksums of the
// compression are compared and a truncated archive is noticed.
func drain(data io.Reader, member *io.LimitedReader) error {
	if _, err := io.Copy(io.Discard, data); err != nil {
		return fmt.Errorf("read package: %w", err)
	}
	if _, err := io.Copy(io.Discard, member); err != nil || member.N > 0 {
		return fmt.Errorf("read package: truncated data.tar: %w", io.ErrUnexpectedEOF)
	}
	return nil
}

func decompress(suffix string, r io.Reader) (io.Reader, error) {
	switch suffix {
	case "":
		return r, nil
	case ".gz":
		return gzip.NewReader(r)
	case ".xz":
		return xz.NewReader(r)
	}
	return nil, fmt.Errorf("compression %q is not supported", suffix)
}

// unpackTar places regular files and links; directories come into being with
// what they hold. Devices, fifos and sockets are refused.
func unpackTar(ctx context.Context, r io.Reader, to *placer) error {
	t := tar.NewReader(r)
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read package: %w", err)
		}
		switch h.Typeflag {
		case tar.TypeDir:
		case tar.TypeReg:
			err = to.file(h.Name, h.Mode&0o111 != 0, t)
		case tar.TypeSymlink:
			err = to.symlink(h.Linkname, h.Name)
		case tar.TypeLink:
			err = to.copyOf(h.Linkname, h.Name)
		default:
			err = fmt.Errorf("place %q: entries of type %q are refused", h.Name, h.Typeflag)
		}
		if err != nil {
			return err
		}
	}
}
