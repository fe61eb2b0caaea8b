package native

import (
	"os"

	"github.com/cellwall/cellwall/linux/fdpass"
	"github.com/cellwall/cellwall/linux/pidfd"
)

// duplicates returns second descriptors of files, for somebody else to own.
func duplicates(files ...*os.File) ([]*os.File, error) {
	var copies []*os.File
	for _, f := range files {
		second, err := duplicateFD(int(f.Fd()), f.Name())
		if err != nil {
			closeAll(copies)
			return nil, err
		}
		copies = append(copies, second)
	}
	return copies, nil
}

func duplicate(f *os.File) (int, error) {
	return fdpass.Duplicate(int(f.Fd()))
}

func duplicateFD(fd int, name string) (*os.File, error) {
	second, err := fdpass.Duplicate(fd)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(second), name), nil
}

// abandon ends an agent whose sandbox never came to be; its namespaces and
// file systems go with it. It may be called for want of descriptors, and so
// takes none.
func (w *warden) abandon(built *wall) error {
	defer built.close()
	return pidfd.KillHeld(built.agent)
}
