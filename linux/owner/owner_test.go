package owner

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestF21_FilesAreTouchedAsTheirOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skipf("only root can act as somebody else, proof: uid %d", os.Geteuid())
	}
	const uid = 4711
	dir := t.TempDir()
	own := filepath.Join(dir, "own")
	for _, err := range []error{
		os.Chmod(dir, 0o711), os.Chmod(filepath.Dir(dir), 0o711), os.Mkdir(own, 0o700), os.Chown(own, uid, uid), os.WriteFile(filepath.Join(dir, "root"), nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	made := filepath.Join(own, "made")
	if err := (ID{uid, uid}).Do(func() error {
		if _, err := os.ReadFile(filepath.Join(dir, "root")); !errors.Is(err, os.ErrPermission) {
			t.Errorf("root's file: %v", err)
		}
		return os.WriteFile(made, nil, 0o600)
	}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(made)
	if err != nil || info.Sys().(*syscall.Stat_t).Uid != uid {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := os.ReadFile(filepath.Join(dir, "root")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	failed := errors.New("no")
	if err := (ID{uid, uid}).Do(func() error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
}
