package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// templateRows is the tenant's row limit for the data below.
const templateRows = 10_000_000

// programOnData is the same work whatever df holds.
const programOnData = `
part = df.head(20_000)
print(part.groupby("station")["depth"].mean().round(3).sum(), part["note"].str.len().sum(), len(df))
`

// heldBytes prints how much memory df takes: columns, and each text once.
const heldBytes = `
import sys
texts = {id(v): sys.getsizeof(v) for c in ("station", "note") for v in df[c].tolist()}
print(int(df.memory_usage(index=False, deep=False).sum()) + sum(texts.values()))
`

// storedFile is a file as a store hands it over: its content is known.
type storedFile struct {
	file  *os.File
	input cellwall.Input
}

// dataFile writes rows of numbers and text, no two notes the same, to a file
// without a name.
func dataFile(rows int) (_ *storedFile, err error) {
	var text bytes.Buffer
	text.WriteString("station,depth,sightings,level,note\n")
	for i := range rows {
		fmt.Fprintf(&text, "station-%02d,%d.%d,%d,%d.%03d,note %d of %s\n", i*5%12, i*37%211, i%10, i%97, i%1000, i%999, i, strings.Repeat("x", i%7))
	}
	file, err := os.CreateTemp("", "cellwall-bench-")
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.Remove(file.Name()), write(file, text.Bytes())); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	sum := sha256.Sum256(text.Bytes())
	return &storedFile{file, cellwall.Input{
		Name: "data.csv", FD: int(file.Fd()), Size: int64(text.Len()), SHA256: hex.EncodeToString(sum[:]),
	}}, nil
}

func write(file *os.File, data []byte) error {
	_, err := file.Write(data)
	return err
}

// templates measures what an execution costs on 190 MB that were parsed ahead,
// against the same work on 2 MB, text included, and how long it would take to
// parse them in place.
func (b *bench) templates(ctx context.Context) error {
	if b.house.prepared == nil {
		b.figures.unmeasured("template_ratio", errors.New("this backend prepares no data"))
		return nil
	}
	if err := b.filled(ctx); err != nil {
		return err
	}
	const smallRows, largeRows = 20_000, 1_950_000
	var requests []cellwall.Request
	for _, rows := range []int{smallRows, largeRows} {
		data, err := dataFile(rows)
		if err != nil {
			return err
		}
		defer data.file.Close()
		request, err := b.preparedRequest(ctx, data)
		if err != nil {
			return err
		}
		requests = append(requests, request)
	}
	var took [2][]time.Duration
	for range rounds * perRound {
		for i, request := range requests {
			one, err := b.onData(ctx, request, programOnData)
			if err != nil {
				return err
			}
			took[i] = append(took[i], one)
		}
	}
	b.figures.rows = append(b.figures.rows, row{"190 MB prepared", took[0], took[1]})
	b.figures.set("template_ratio", ratio(median(took[1]), median(took[0])))
	b.figures.set("template_ms", ms(median(took[1])))
	return nil
}

// preparedRequest makes the template of a file and checks that it is used; for the
// large one it tells what is held, and what parsing in place takes.
func (b *bench) preparedRequest(ctx context.Context, data *storedFile) (cellwall.Request, error) {
	request := cellwall.Request{
		Identity: cellwall.Identity{Tenant: "bench"}, Environment: b.env.Name, Backend: b.verb.Backend,
		Datasets: []cellwall.Input{data.input},
		Limits:   cellwall.Limits{Timeout: 2 * time.Minute, MemoryBytes: 2 * cellwall.GiB, Rows: templateRows},
	}
	inPlace, err := b.onData(ctx, request, programOnData)
	if err != nil {
		return request, err
	}
	began := time.Now()
	err = b.house.prepared.Prepare(ctx, cellwall.Spec{
		Identity: request.Identity, Environment: b.env, Limits: request.Limits, Inputs: request.Datasets,
	})
	if err != nil {
		return request, err
	}
	b.figures.set("template_made_ms", ms(time.Since(began)))
	b.figures.set("template_in_place_ms", ms(inPlace))
	before := b.house.prepared.Counts()
	request.Code = heldBytes
	result, err := b.house.controller.Run(ctx, request)
	if err != nil || !result.OK {
		return request, fmt.Errorf("measure data: %+v, %w", result, err)
	}
	if b.house.prepared.Counts().Served == before.Served {
		return request, errors.New("the data was not prepared")
	}
	var held float64
	if _, err := fmt.Sscan(result.Stdout.Text, &held); err != nil {
		return request, fmt.Errorf("size of data: %w", err)
	}
	b.figures.set("template_held_mb", held/1e6)
	return request, nil
}

// onData runs code once and returns how long the caller waited.
func (b *bench) onData(ctx context.Context, request cellwall.Request, code string) (time.Duration, error) {
	request.Code = code
	began := time.Now()
	result, err := b.house.controller.Run(ctx, request)
	took := time.Since(began)
	if err == nil && !result.OK {
		err = fmt.Errorf("the program ended %s (%s): %+v", result.Status, result.Cause, result.Error)
	}
	return took, err
}
