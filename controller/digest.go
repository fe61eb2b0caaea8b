package controller

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"syscall"

	"github.com/cellwall/cellwall"
)

// digests are the hashes of the inputs, computed while the code runs. A nil
// *digests has none.
type digests struct {
	work  sync.WaitGroup
	facts []cellwall.InputFact
	errs  []error
}

// startDigests starts to hash what is not known already. The inputs must stay open until wait returns.
func startDigests(inputs []cellwall.Input) *digests {
	if len(inputs) == 0 {
		return nil
	}
	d := &digests{facts: make([]cellwall.InputFact, len(inputs)), errs: make([]error, len(inputs))}
	if known(inputs) {
		for i, in := range inputs {
			d.facts[i] = cellwall.InputFact{ID: in.Dataset, Name: in.Name, Bytes: in.Size, SHA256: in.SHA256}
		}
		return d
	}
	d.work.Go(func() { // one after the other: the code needs the processor more
		for i, in := range inputs {
			d.facts[i] = cellwall.InputFact{ID: in.Dataset, Name: in.Name, Bytes: in.Size}
			sum := sha256.New()
			// Positioned reads leave the descriptor's offset alone: the sandbox
			// may be reading the same open file.
			if _, err := io.Copy(sum, io.NewSectionReader(descriptor(in.FD), 0, in.Size)); err != nil {
				d.errs[i] = fmt.Errorf("hash input %s: %w", in.Name, err)
				continue
			}
			d.facts[i].SHA256 = hex.EncodeToString(sum.Sum(nil))
		}
	})
	return d
}

// known reports whether the content of every input is known.
func known(inputs []cellwall.Input) bool {
	return !slices.ContainsFunc(inputs, func(in cellwall.Input) bool { return in.SHA256 == "" })
}

// wait returns the facts in order of the inputs. An input that could not be
// read has no hash; the first such error comes with the facts.
func (d *digests) wait() ([]cellwall.InputFact, error) {
	if d == nil {
		return []cellwall.InputFact{}, nil
	}
	d.work.Wait()
	for _, err := range d.errs {
		if err != nil {
			return d.facts, err
		}
	}
	return d.facts, nil
}

// done waits until nothing reads the inputs any more.
func (d *digests) done() { _, _ = d.wait() } // the error comes again from whoever needs the facts

// descriptor reads an open file at positions.
type descriptor int

func (fd descriptor) ReadAt(p []byte, off int64) (int, error) {
	total := 0
	for total < len(p) {
		n, err := syscall.Pread(int(fd), p[total:], off+int64(total))
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return total, err
		case n == 0:
			return total, io.EOF
		}
		total += n
	}
	return total, nil
}
