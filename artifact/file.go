package artifact

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/cellwall/cellwall"
)

// refusal is why a file was not taken: data, not a failure of ours. It passes
// through the sink as the error of the content it reads.
type refusal string

func (r refusal) Error() string { return string(r) }

// readFactor bounds what is read in all, files included that turn out to be
// refused: sparse files cost a program nothing and would cost us their size.
const readFactor = 2

// file takes a regular file, or says why not.
func (h *harvest) file(ctx context.Context, name string, e fs.DirEntry) error {
	err := h.take(ctx, name, e)
	var why refusal
	if errors.As(err, &why) {
		h.skip(name, string(why))
		return nil
	}
	return err
}

func (h *harvest) take(ctx context.Context, name string, e fs.DirEntry) error {
	if !printable(name) {
		return refusal("name is not printable UTF-8")
	}
	if hidden(name) {
		return refusal("hidden: a part of its name begins with a dot")
	}
	listed, err := e.Info()
	if err != nil {
		return refusal("file went away")
	}
	if err := h.admit(listed); err != nil {
		return err
	}
	f, err := h.fsys.Open(name)
	if err != nil {
		return refusal("file cannot be opened")
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return refusal("file cannot be examined")
	}
	if err := h.admit(info); err != nil {
		return err
	}
	return h.store(ctx, name, f, info.Size())
}

// admit judges a file by its metadata, before a byte of it is read.
func (h *harvest) admit(info fs.FileInfo) error {
	size := info.Size()
	switch {
	case !info.Mode().IsRegular():
		return refusal(kindWord(info.Mode()))
	case links(info) > 1:
		return refusal(fmt.Sprintf("hard link: the file has %d names", links(info)))
	case size < 0 || size > h.limits.Bytes:
		return refusal(over(size, h.limits.Bytes) + " that one artifact may have")
	case len(h.artifacts) >= h.limits.Count:
		return refusal(fmt.Sprintf("more than %d artifacts", h.limits.Count))
	case size > h.limits.TotalBytes-h.bytes:
		return refusal("more than " + sized(h.limits.TotalBytes) + " in all artifacts together")
	case size > readFactor*h.limits.TotalBytes-h.read:
		return refusal("too much was read already for files that were refused")
	}
	return nil
}

// store decides the type, then hands the content to the sink.
func (h *harvest) store(ctx context.Context, name string, f fs.File, size int64) error {
	source := &exactly{r: f, left: size}
	defer func() { h.read += size - source.left }()
	content := bufio.NewReaderSize(source, headerBytes)
	header, err := content.Peek(int(min(size, headerBytes)))
	if err != nil {
		return asRefusal(err)
	}
	kind, err := classify(name, header, h.limits.Archives)
	if err != nil {
		return err
	}
	watched, cells := kind.watched(content)
	told, flags := h.rewritten(kind, kind.counted(watched, h.limits.Rows))
	stored, err := h.sink.Put(ctx, told)
	if err != nil {
		return err
	}
	if h.walk.took(name, stored.SHA256) {
		return nil
	}
	h.bytes += stored.Bytes
	h.artifacts = append(h.artifacts, cellwall.Artifact{
		ID: cellwall.NewID(cellwall.PrefixArtifact), Name: name, Path: name,
		Type: kind.word, MediaType: kind.media, Bytes: stored.Bytes, SHA256: stored.SHA256, Flags: append(flags, cells.flags()...),
	})
	return nil
}

// exactly reads as many bytes as the file had when it was opened. Fewer or
// more mean that somebody still writes.
type exactly struct {
	r    io.Reader
	left int64
}

func (e *exactly) Read(p []byte) (int, error) {
	if e.left == 0 {
		var one [1]byte
		if n, _ := e.r.Read(one[:]); n > 0 {
			return 0, refusal("file grew while it was read")
		}
		return 0, io.EOF
	}
	n, err := e.r.Read(p[:min(int64(len(p)), e.left)])
	n = max(0, min(n, len(p)))
	e.left -= int64(n)
	switch {
	case err == nil, errors.Is(err, io.EOF) && e.left == 0:
		return n, nil
	case errors.Is(err, io.EOF):
		return n, refusal("file shrank while it was read")
	default:
		return n, refusal("file cannot be read")
	}
}

func asRefusal(err error) error {
	var why refusal
	if errors.As(err, &why) {
		return why
	}
	return refusal("file cannot be read")
}
