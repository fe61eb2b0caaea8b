package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// position is where a line stands.
type position struct {
	day  string
	line int
}

// gap is a row of records that were not seen yet.
type gap struct {
	from, to uint64
	at       position // of the line behind
}

// checker follows the chain through all lines. Of what it saw it keeps the
// edges of gaps only.
type checker struct {
	report Report
	head   head
	anchor Anchor
	expect mark

	last   link // the latest in its place
	lastAt position
	lastID string
	good   bool // last is as its own hash says
	chain  bool // a chained line was seen, or one is known to have been

	gaps    []gap
	wanted  map[uint64]digest // what the record behind a gap says of the one before it
	seen    map[uint64]digest // of the record before a gap
	damaged []position        // lines since last that cannot be read
	known   bool              // the record of expect was seen
}

func (c *checker) find(f Finding) {
	if len(c.report.Findings) == MostFindings {
		c.report.More++
		return
	}
	c.report.Findings = append(c.report.Findings, f)
}

// start is where the chain begins: at nothing, or behind what was let go.
func (c *checker) start() {
	c.last, c.good = link{seq: c.anchor.Seq, hash: c.anchor.Hash}, true
	c.report.Dropped, c.chain = c.anchor.Seq, c.anchor.Seq > 0
}

// line looks at one line, with its newline if it has one.
func (c *checker) line(raw []byte, at position) {
	line, whole := raw, false
	if raw[len(raw)-1] == '\n' {
		line, whole = raw[:len(raw)-1], true
	}
	l, entry, ok := parseLine(line)
	switch {
	case !whole || !ok && !json.Valid(line):
		c.damaged = append(c.damaged, at)
		return
	case !ok && !c.chain:
		c.report.Unchained++
		return
	case !ok:
		c.find(Finding{Kind: Changed, Day: at.day, Line: at.line, ID: idOf(line), Why: "it is in no chain, and others before it are"})
		return
	}
	if l.seq <= c.anchor.Seq {
		return // let go already, but for its file
	}
	c.chain = true
	c.report.Records++
	id, good := idOf(entry), l.sum(entry) == l.hash
	if !good {
		c.find(Finding{Kind: Changed, Day: at.day, Line: at.line, Seq: l.seq, ID: id, Why: "its hash is another one's"})
	}
	c.marks(l, at, id)
	switch {
	case l.seq == c.last.seq+1:
		c.follow(l, good)
	case l.seq > c.last.seq+1:
		c.skip(l, at, good)
	default:
		c.late(l, at, id, good)
		return
	}
	c.last, c.lastAt, c.lastID, c.good = l, at, id, good
}

// marks compares a record with what is known of it elsewhere.
func (c *checker) marks(l link, at position, id string) {
	if l.seq == c.head.Seq && l.hash != c.head.Hash {
		c.find(Finding{Kind: Changed, Day: at.day, Line: at.line, Seq: l.seq, ID: id, Why: "the head of the chain says another hash"})
	}
	if l.seq == c.expect.seq {
		c.known = true
		if l.hash != c.expect.hash {
			c.find(Finding{Kind: Changed, Day: at.day, Line: at.line, Seq: l.seq, ID: id, Why: "another hash was expected"})
		}
	}
}

// follow holds a record to the one before it.
func (c *checker) follow(l link, good bool) {
	c.tear(Torn, 0)
	if good && c.good && l.prev != c.last.hash {
		c.find(Finding{
			Kind: Changed, Day: c.lastAt.day, Line: c.lastAt.line, Seq: c.last.seq, ID: c.lastID,
			Why: "the record behind it follows another one",
		})
	}
}

// tear says what the unreadable lines since the last record are.
func (c *checker) tear(kind Kind, seq uint64) {
	for _, at := range c.damaged {
		f := Finding{Kind: kind, Day: at.day, Line: at.line, Why: "a process was killed while it wrote it, or power took the rest"}
		if kind == Changed {
			f.Seq, f.Why = seq, "it cannot be read"
			seq++
		}
		c.find(f)
	}
	c.damaged = nil
}

// skip notes that records before l were not seen. Lines that cannot be read
// stand for as many of them.
func (c *checker) skip(l link, at position, good bool) {
	from, to := c.last.seq+1, l.seq-1
	if n := uint64(len(c.damaged)); n > 0 && n <= to-from+1 {
		c.tear(Changed, from)
		from += n
	}
	c.tear(Torn, 0)
	if from > to {
		return
	}
	c.gaps = append(c.gaps, gap{from: from, to: to, at: at})
	if good {
		c.wanted[to] = l.prev
	}
	if c.good && from == c.last.seq+1 {
		c.seen[from-1] = c.last.hash
	}
}

// late places a record that stands behind a later one.
func (c *checker) late(l link, at position, id string, good bool) {
	why := "it is there twice"
	for i, g := range c.gaps {
		if l.seq < g.from || l.seq > g.to {
			continue
		}
		why = fmt.Sprintf("it stands behind record %d", c.last.seq)
		c.gaps = append(c.gaps[:i], c.gaps[i+1:]...)
		if l.seq > g.from {
			c.gaps = append(c.gaps, gap{from: g.from, to: l.seq - 1, at: g.at})
		}
		if l.seq < g.to {
			c.gaps = append(c.gaps, gap{from: l.seq + 1, to: g.to, at: g.at})
		}
		break
	}
	c.tear(Torn, 0)
	c.find(Finding{Kind: Reordered, Day: at.day, Line: at.line, Seq: l.seq, ID: id, Why: why})
	if !good {
		return
	}
	if want, ok := c.wanted[l.seq]; ok && want != l.hash {
		c.find(Finding{Kind: Changed, Day: at.day, Line: at.line, Seq: l.seq, ID: id, Why: "the record behind it follows another one"})
	}
	if before, ok := c.seen[l.seq-1]; ok && before != l.prev {
		c.find(Finding{Kind: Changed, Day: at.day, Line: at.line, Seq: l.seq, ID: id, Why: "it follows another record"})
	}
	delete(c.wanted, l.seq)
	c.wanted[l.seq-1], c.seen[l.seq] = l.prev, l.hash
}

// finish says what was never seen.
func (c *checker) finish() {
	if lost := c.head.Seq; lost > c.last.seq {
		from := c.last.seq + 1
		if n := uint64(len(c.damaged)); n > 0 && n <= lost-c.last.seq {
			c.tear(Changed, from)
			from += n
		}
		if from <= lost {
			c.gaps = append(c.gaps, gap{from: from, to: lost, at: c.lastAt})
		}
	}
	c.tear(Torn, 0)
	for _, g := range c.gaps {
		f := Finding{Kind: Missing, Day: g.at.day, Line: g.at.line, Seq: g.from, Why: "the chain has it"}
		if g.to > g.from {
			f.To = g.to
		}
		c.find(f)
	}
	if c.report.Records > 0 && c.head.Seq == 0 {
		c.find(Finding{Kind: Missing, Why: "the head of the chain is gone: records at the end may be, too"})
	}
	if c.expect.seq > c.report.Dropped && !c.known {
		c.find(Finding{Kind: Missing, Seq: c.expect.seq, Why: "it was expected"})
	}
	c.report.Head = mark{seq: c.last.seq, hash: c.last.hash}.String()
}

// mark is a record as it is noted elsewhere.
type mark struct {
	seq  uint64
	hash digest
}

func (m mark) String() string { return fmt.Sprintf("%d:%s", m.seq, m.hash) }

// ErrHead is of an Expect that cannot be a head of a chain.
var ErrHead = errors.New("no head of a chain")

func parseMark(text string) (m mark, err error) {
	seq, hash, _ := strings.Cut(text, ":")
	if m.seq, err = strconv.ParseUint(seq, 10, 64); err == nil {
		err = m.hash.UnmarshalText([]byte(hash))
	}
	if err != nil {
		return m, fmt.Errorf("%q is %w: %w", text, ErrHead, err)
	}
	return m, nil
}
