package audit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cellwall/cellwall/internal/filelock"
)

// Kind is what is wrong with a record.
type Kind string

// The kinds.
const (
	Changed   Kind = "changed"   // it is not what was written
	Missing   Kind = "missing"   // it was written, and is not there
	Reordered Kind = "reordered" // it stands behind a later one, or twice
	Torn      Kind = "torn"      // it is not whole: its process was killed, and answered nobody, or power took the rest
)

// Finding names a record that is not as it was written.
type Finding struct {
	Kind Kind   `json:"kind"`
	Day  string `json:"day,omitempty"`  // of the file; of a missing one, where it should stand
	Line int    `json:"line,omitempty"` // from 1
	Seq  uint64 `json:"seq,omitempty"`
	To   uint64 `json:"to,omitempty"` // the last one of several that are missing
	ID   string `json:"id,omitempty"` // of the entry, where it can be read
	Why  string `json:"why"`
}

// Report is what Verify found.
type Report struct {
	Records   uint64    `json:"records"`   // that are chained
	Unchained uint64    `json:"unchained"` // of versions before the chain
	Dropped   uint64    `json:"dropped"`   // the latest that was let go when its time was over
	Head      string    `json:"head"`      // "seq:hash" of the latest; note it elsewhere
	Findings  []Finding `json:"findings"`
	More      int       `json:"more,omitempty"` // findings beyond MostFindings
}

// MostFindings is how many a Report holds.
const MostFindings = 1000

// OK reports whether every record that was answered is there as it was written, but
// for what power took behind its answer. What is torn by a kill was answered
// to nobody.
func (r Report) OK() bool {
	for _, f := range r.Findings {
		if f.Kind != Torn {
			return false
		}
	}
	return r.More == 0
}

// VerifyOptions say what else is known.
type VerifyOptions struct {
	Key    *PublicKey // of the anchor; nil = its signature is not looked at
	Expect string     // "seq:hash" of a record that must be there, as noted before; "" = none
}

// Verify reads every record of dir. Others may append meanwhile: what they do
// after the call is not looked at.
func Verify(dir string, opts VerifyOptions) (Report, error) {
	c := &checker{report: Report{Findings: []Finding{}}, wanted: map[uint64]digest{}, seen: map[uint64]digest{}}
	sizes, list, err := c.begin(dir, opts)
	if err != nil {
		return c.report, fmt.Errorf("verify records: %w", err)
	}
	for _, day := range list {
		if err := c.file(dayFile(dir, day), day, sizes[day]); err != nil {
			return c.report, fmt.Errorf("verify records of %s: %w", day, err)
		}
	}
	c.finish()
	return c.report, nil
}

// begin notes, while nobody writes, what is there.
func (c *checker) begin(dir string, opts VerifyOptions) (sizes map[string]int64, list []string, err error) {
	f, err := os.OpenFile(headFile(dir), os.O_RDWR, 0)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return nil, nil, err
	default:
		defer f.Close()
		if err := filelock.Take(f); err != nil {
			return nil, nil, err
		}
		if c.head, err = readHead(f); err != nil {
			c.find(Finding{Kind: Changed, Why: err.Error()})
		}
	}
	if c.anchor, err = readAnchor(dir, opts.Key); err != nil {
		c.find(Finding{Kind: Changed, Seq: c.anchor.Seq, Why: err.Error()})
	}
	if opts.Expect != "" {
		if c.expect, err = parseMark(opts.Expect); err != nil {
			return nil, nil, err
		}
	}
	if list, err = days(dir); err != nil {
		return nil, nil, err
	}
	sizes = map[string]int64{}
	for _, day := range list {
		info, err := os.Stat(dayFile(dir, day))
		if err != nil {
			return nil, nil, err
		}
		sizes[day] = info.Size()
	}
	c.start()
	return sizes, list, nil
}

// file reads one day, as long as it was at the beginning.
func (c *checker) file(path, day string, size int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(io.LimitReader(f, size), 256<<10)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			c.line(line, position{day: day, line: n})
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
