package environment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cellwall/cellwall"
)

// Verify reads every byte of a built environment again. It fails with
// CodeConflict and names the first path that differs from the manifest, and
// with CodeEnvironmentMissing when nothing was built.
func (s *Store) Verify(ctx context.Context, name string) error {
	b, err := s.Show(name)
	if err != nil {
		return err
	}
	err = s.verifyRoot(ctx, b.Digest)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return &cellwall.Error{
		Code: cellwall.CodeConflict, Op: "verify environment " + name, Err: err,
		Hint: fmt.Sprintf("cellwall env build %s --force", name),
	}
}

func (s *Store) verifyRoot(ctx context.Context, digest string) error {
	dir := filepath.Join(s.Dir, "roots", digestDir(digest))
	want, err := os.ReadFile(filepath.Join(dir, "manifest"))
	if err != nil {
		return fmt.Errorf("read manifest: %w", err)
	}
	if got := "sha256:" + sumOf(want); got != digest {
		return fmt.Errorf("its manifest has the digest %s, not %s", got, digest)
	}
	m, err := readManifest(ctx, filepath.Join(dir, "root"), true, nil)
	if err != nil {
		return err
	}
	if diff := firstDifference(want, m.Text()); diff != "" {
		return errors.New(diff)
	}
	return nil
}
