package environment

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// installWheel places a wheel's modules and metadata. Scripts, headers and
// data files outside of the packages are left out: nothing inside runs them.
// What only an installer reads (RECORD, INSTALLER) is left out as well.
func installWheel(ctx context.Context, file string, to *placer) (err error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return fmt.Errorf("open wheel: %w", err)
	}
	defer func() { err = errors.Join(err, z.Close()) }()
	for _, entry := range z.File {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		name, keep := wheelPath(entry.Name)
		if !keep || entry.FileInfo().IsDir() {
			continue
		}
		if !entry.Mode().IsRegular() {
			return fmt.Errorf("place %q: a wheel holds plain files only, this is %v", entry.Name, entry.Mode()&fs.ModeType)
		}
		if err := placeZipped(entry, name, to); err != nil {
			return err
		}
	}
	return nil
}

func placeZipped(entry *zip.File, name string, to *placer) error {
	r, err := entry.Open()
	if err != nil {
		return fmt.Errorf("read %q: %w", entry.Name, err)
	}
	// Shared objects need no x bit to be loaded, so nothing gets one.
	return errors.Join(to.file(name, false, r), r.Close())
}

// wheelPath is where an entry of a wheel goes below the package directory.
func wheelPath(name string) (string, bool) {
	top, rest, _ := strings.Cut(name, "/")
	if strings.HasSuffix(top, ".data") {
		scheme, below, _ := strings.Cut(rest, "/")
		return below, scheme == "purelib" || scheme == "platlib"
	}
	if strings.HasSuffix(top, ".dist-info") {
		switch path.Base(name) {
		case "RECORD", "RECORD.jws", "RECORD.p7s", "INSTALLER", "REQUESTED", "direct_url.json":
			return "", false
		}
	}
	return name, true
}
