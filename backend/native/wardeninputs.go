package native

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/linux/mount"
)

// Where the warden of a template keeps its files, below inputDir of the root that
// sandboxes start from: each mounts its own view over it.
const (
	heldDir  = inputDir + "/held"
	emptyDir = inputDir + "/empty" // an overlay wants a second directory
)

// holdInputs copies the files of a template, once for all of its sandboxes.
func (w *warden) holdInputs(inputs []heldInput, files []*os.File) error {
	defer closeAll(files)
	if len(inputs) != len(files) {
		return fmt.Errorf("hold inputs: %d files for %d names", len(files), len(inputs))
	}
	room := int64(len(inputs)+4) * int64(os.Getpagesize())
	for _, in := range inputs {
		room += in.Size
	}
	tree, err := mount.Tmpfs(mount.TmpfsOptions{Bytes: room, Inodes: cellwall.MaxInputs + 3, Mode: 0o755})
	if err != nil {
		return err
	}
	defer tree.Close()
	if err := mount.Attach(tree, inputDir); err != nil {
		return err
	}
	for _, dir := range [...]string{heldDir, emptyDir} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	at, err := os.Open(heldDir)
	if err != nil {
		return err
	}
	defer at.Close()
	for i, in := range inputs {
		if err := copyTo(at, in.Name, in.Size, files[i]); err != nil {
			return err
		}
	}
	w.inputs = inputs
	return mount.Restrict(inputDir, mount.ReadOnly|mount.NoDev|mount.NoExec|mount.NoSuid)
}

// showInputs mounts a template's files: a view with inodes of its own, so that
// sandboxes share no lock and no watch, and copies where the kernel has no such
// view for an ordinary user.
func (w *warden) showInputs(request openRequest, built *wall) error {
	view, err := mount.Overlay(heldDir, emptyDir)
	if err == nil {
		defer view.Close()
		return mount.Attach(view, inputDir)
	}
	source, openErr := os.Open(heldDir) // before it is mounted over
	if openErr != nil {
		return errors.Join(err, openErr)
	}
	defer source.Close()
	for _, in := range w.inputs {
		request.InputBytes += in.Size
	}
	if err := buildInput(request, built); err != nil {
		return err
	}
	root, err := os.OpenRoot("/proc/self/fd/" + fmt.Sprint(source.Fd()))
	if err != nil {
		return err
	}
	defer root.Close()
	for _, in := range w.inputs {
		file, err := root.Open(in.Name)
		if err != nil {
			return err
		}
		err = copyTo(built.input, in.Name, in.Size, file)
		file.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// copyTo copies the first size bytes of a file, by position: the descriptor's
// offset is shared with whoever else has it.
func copyTo(dir *os.File, name string, size int64, file *os.File) error {
	target, err := mount.Create(dir, name, 0o444)
	if err != nil {
		return err
	}
	defer target.Close()
	n, err := io.Copy(target, io.NewSectionReader(file, 0, size))
	if err == nil && n != size {
		err = fmt.Errorf("the file had %d bytes and now has %d", size, n)
	}
	if err != nil {
		return fmt.Errorf("copy input: %w", err)
	}
	return nil
}
