package controller

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

// Bounds of what one run may leave in memory beside its output. The guest
// protocol bounds the wire; these bound the Result.
const (
	maxResults     = 100
	maxResultBytes = 8 << 20 // of all results, as JSON writes them: six bytes for a control character
	maxNotices     = 200
	maxNoticeBytes = 1 << 20 // of all notices
	maxTables      = 64
	maxColumns     = 2000 // of one table
)

// collector keeps what comes out of a sandbox, within bounds.
type collector struct {
	stdout, stderr stream
	masked         *masked // nil = everything is told as it is
	forward        *outlet // to the caller's sink, nil = nobody listens
	stopped        error   // of the caller's sink
	last           uint64  // Seq of the latest event

	results     []cellwall.Rich
	resultBytes int
	resultRoom  int // bytes that they may have together
	dropped     int
	failure     *cellwall.ExecutionError
	datasets    []byte
	described   time.Time // when they were told of
	tables      []cellwall.TableInScope
	notices     []cellwall.Notice
	noticeBytes int
}

func newCollector(l cellwall.Limits, logFile func(stream string) string, forward *outlet) *collector {
	return &collector{
		stdout:  stream{keep: int(l.OutputKeepBytes), spool: spool{path: logFile("stdout"), room: l.OutputLogBytes}},
		stderr:  stream{keep: int(l.OutputKeepBytes), spool: spool{path: logFile("stderr"), room: l.OutputLogBytes}},
		forward: forward, resultRoom: maxResultBytes,
	}
}

// narrow keeps less where there is room for less: a half for the displayed values, the
// other for head and tail of two streams, of which a character may take six bytes.
func (c *collector) narrow(room int64) {
	if room <= 0 {
		return
	}
	c.resultRoom = int(min(maxResultBytes, room/2))
	c.stdout.keep = int(min(int64(c.stdout.keep), room/2/4/6))
	c.stderr.keep = int(min(int64(c.stderr.keep), room/2/4/6))
}

// sink is the cellwall.Sink of the run.
func (c *collector) sink(_ context.Context, e cellwall.Event) error {
	if c.masked == nil {
		return c.take(e, e)
	}
	kept, told, some := c.masked.event(e)
	if !some {
		return c.stopped
	}
	told.Seq = c.last + 1 // fewer are told than came
	return c.take(kept, told)
}

// take keeps an event and hands it on.
func (c *collector) take(kept, e cellwall.Event) error {
	c.collect(kept)
	c.last = e.Seq
	if c.forward == nil {
		return nil
	}
	if c.stopped != nil { // it hears no more
		return c.stopped
	}
	if err := c.forward.hand(e); err != nil {
		c.stopped = err
		return err
	}
	return nil
}

// collect keeps one event. What cannot be decoded is left out: the guest may
// claim what it likes, and loses only its own words.
func (c *collector) collect(e cellwall.Event) {
	switch e.Kind {
	case cellwall.EventStdout:
		c.stdout.write(e.Data)
	case cellwall.EventStderr:
		c.stderr.write(e.Data)
	case cellwall.EventResult:
		c.result(e.Rich)
	case cellwall.EventError:
		var failure cellwall.ExecutionError
		if json.Unmarshal(e.Data, &failure) == nil {
			bound(&failure)
			c.failure = &failure
		}
	case cellwall.EventDatasets:
		if c.datasets == nil { // sent before the code ran; a second one is forged
			c.datasets, c.described = slices.Clone(e.Data), time.Now()
		}
	case cellwall.EventTables:
		var tables []cellwall.TableInScope
		if json.Unmarshal(e.Data, &tables) == nil {
			c.tables = fewTables(tables)
		}
	case cellwall.EventNotice:
		var n cellwall.Notice
		room := len(c.notices) < maxNotices && c.noticeBytes+len(e.Data) <= maxNoticeBytes
		if room && json.Unmarshal(e.Data, &n) == nil {
			c.noticeBytes += len(e.Data)
			c.notices = append(c.notices, n)
		}
	case cellwall.EventStarted, cellwall.EventDone, cellwall.EventArtifact:
	}
}

func (c *collector) result(r *cellwall.Rich) {
	if r == nil {
		return
	}
	size := written(r)
	if len(c.results) == maxResults || c.resultBytes+size > c.resultRoom {
		c.dropped++
		return
	}
	c.resultBytes += size
	c.results = append(c.results, *r)
}

// written is how many bytes a result takes in an answer. Its contents are JSON
// already; the names of their types are text of the code's own.
func written(r *cellwall.Rich) int {
	size := len(`{"is_main_result":false,"data":{}},`)
	for mime, content := range r.Data {
		name, err := json.Marshal(mime)
		if err != nil { // a string always can be
			name = make([]byte, 6*len(mime))
		}
		size += len(name) + len(`:,`) + len(content)
	}
	return size
}

// fewTables returns the first tables with their first columns, and lets go of
// the rest.
func fewTables(all []cellwall.TableInScope) []cellwall.TableInScope {
	few := slices.Clone(all[:min(len(all), maxTables)])
	for i := range few {
		t := &few[i]
		t.Columns = slices.Clone(t.Columns[:min(len(t.Columns), maxColumns)])
		t.DTypes = slices.Clone(t.DTypes[:min(len(t.DTypes), maxColumns)])
	}
	return few
}

// note adds a notice of our own.
func (c *collector) note(code string, pairs ...string) {
	c.notices = append(c.notices, notice(code, pairs...))
}

// notice makes a notice of a code and pairs of argument and value.
func notice(code string, pairs ...string) cellwall.Notice {
	args := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		args[pairs[i]] = pairs[i+1]
	}
	return cellwall.Notice{Code: code, Args: args}
}

// close ends collecting.
func (c *collector) close() error {
	if c.masked != nil {
		for _, e := range c.masked.rest() {
			e.Seq = c.last + 1
			_ = c.take(e, e) // kept in c.stopped
		}
		if c.masked.types > 0 {
			c.note("types_dropped", "count", strconv.Itoa(c.masked.types))
		}
	}
	if c.dropped > 0 {
		c.note("results_dropped", "count", strconv.Itoa(c.dropped))
	}
	if c.forward != nil {
		c.forward.close()
	}
	return errors.Join(c.stdout.spool.close(), c.stderr.spool.close())
}

// logs returns the files that keep a stream whole.
func (c *collector) logs() []string {
	var files []string
	for _, s := range []*stream{&c.stdout, &c.stderr} {
		if s.spool.begun {
			files = append(files, s.spool.path)
		}
	}
	return files
}

// bound cuts every text of an error, which the code wrote.
func bound(e *cellwall.ExecutionError) {
	e.Type = cut(e.Type, 200)
	e.Message = cut(e.Message, 16<<10)
	e.Traceback = cut(e.Traceback, 64<<10)
	e.Excerpt = cut(e.Excerpt, 8<<10)
	e.Name = cut(e.Name, 1<<10)
	e.Line = max(e.Line, 0)
}

// cut returns at most n bytes of s, not splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
