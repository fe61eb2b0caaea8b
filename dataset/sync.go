package dataset

import (
	"errors"
	"os"
	"path/filepath"
)

// syncDir writes the directory of path to disk, so that a name in it survives
// a crash of the machine.
func syncDir(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
