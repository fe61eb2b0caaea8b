package fetch

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// take reads a file from an answer, within its bounds.
func (f *Fetcher) take(ctx context.Context, cancel func(), ask Ask, t target, answer *http.Response) (*Fetched, error) {
	media, ok := mediaOf(answer.Header.Get("Content-Type"))
	if !ok {
		return nil, failed("what is there is no data: its host says it is of another type", "CSV, TSV, JSON, JSONL, XLSX and Parquet are data, gzipped or not", nil)
	}
	if answer.ContentLength > ask.MaxBytes {
		return nil, tooLarge(ask.MaxBytes)
	}
	body := io.Reader(&paced{r: answer.Body, pause: f.opts.Pause, timer: time.AfterFunc(f.opts.Pause, cancel)})
	switch coding := strings.ToLower(answer.Header.Get("Content-Encoding")); coding {
	case "", "identity":
	case "gzip", "x-gzip":
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			return nil, failed("what its host sends is damaged", "try again later", err)
		}
		body = unpacked
	default:
		return nil, failed("its host packs what it sends in a way that nobody asked for", "its operator has to mend it", fmt.Errorf("content-encoding %.40q", coding))
	}
	file, err := spool(f.opts.Dir)
	if err != nil {
		return nil, err
	}
	got := &Fetched{shared: newShared(file), Name: nameFor(t, media), URL: t.url.String(), Media: media}
	err = got.read(body, ask.MaxBytes)
	if err == nil && ctx.Err() != nil { // a host that is hung up on may still say that this was all
		err = failed("what its host sends stands still", "try again later", ctx.Err())
	}
	if err != nil {
		return nil, errors.Join(err, got.Close())
	}
	f.cache.keep(ask.Who.Tenant, got, answer.Header)
	return got, nil
}

// spool makes a file that has no name.
func spool(dir string) (*os.File, error) {
	file, err := os.CreateTemp(dir, "fetch-")
	if err != nil {
		return nil, fmt.Errorf("make room for a fetch: %w", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("make room for a fetch: %w", err), file.Close())
	}
	return file, nil
}

// read copies a body up to the cap, counted as it is used: unpacked.
func (g *Fetched) read(body io.Reader, most int64) error {
	hash, head := sha256.New(), &beginning{}
	n, err := io.Copy(io.MultiWriter(told{g.shared.file}, hash, head), io.LimitReader(body, most+1))
	var disk *diskError
	switch {
	case errors.As(err, &disk):
		return fmt.Errorf("write what is fetched: %w", disk.error)
	case err != nil:
		return failed("what its host sends breaks off", "try again later", err)
	case n > most:
		return tooLarge(most)
	case n == 0:
		return failed("there is nothing in it", "open the address in a browser", nil)
	case page(head.bytes):
		return failed("what is there is a page for people, not data", "find the address of the file itself", nil)
	}
	g.Bytes, g.SHA256 = n, hex.EncodeToString(hash.Sum(nil))
	return nil
}

func tooLarge(most int64) error {
	return &cellwall.Error{
		Code: cellwall.CodeTooLarge, Op: opFetch, Err: fmt.Errorf("more than %d bytes", most), Hint: "fetch a part of it",
	}
}

// paced ends a body that stands still.
type paced struct {
	r     io.Reader
	pause time.Duration
	timer *time.Timer
}

func (p *paced) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if err != nil {
		p.timer.Stop()
	} else if n > 0 {
		p.timer.Reset(p.pause)
	}
	return n, err
}

// beginning keeps the first bytes.
type beginning struct{ bytes []byte }

func (b *beginning) Write(p []byte) (int, error) {
	const most = 512
	b.bytes = append(b.bytes, p[:min(len(p), most-len(b.bytes))]...)
	return len(p), nil
}

// told tells a fault of this host's disk from one of the other side.
type told struct{ w io.Writer }

type diskError struct{ error }

func (t told) Write(p []byte) (int, error) {
	n, err := t.w.Write(p)
	if err != nil {
		return n, &diskError{err}
	}
	return n, nil
}
