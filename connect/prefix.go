package connect

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"
)

// mostObjects is how many objects one snapshot joins.
const mostObjects = 1000

const partsFile = "parts.bin"

//go:embed parts.py
var partsProgram string

// joined are the kinds of files that can stand one after the other as one table.
var joined = []string{".csv", ".tsv", ".jsonl", ".ndjson", ".parquet"}

// join copies every object below a prefix, which are the parts of one table.
func (b bucket) join(ctx context.Context, client *minio.Client, ask Ask, out *full) (*Snapshot, error) {
	list, kind, err := b.parts(ctx, client, ask, out.most)
	if err != nil {
		return nil, err
	}
	made := &Snapshot{Name: path.Base(strings.TrimSuffix(ask.Prefix, "/")) + kind}
	header, sizes := []byte(nil), []int64{}
	for _, info := range list {
		before := out.n
		if err := b.part(ctx, client, info, kind, &header, out); err != nil {
			return nil, err
		}
		sizes = append(sizes, out.n-before)
	}
	if kind == ".parquet" {
		said, err := json.Marshal(sizes)
		if err != nil {
			return nil, fmt.Errorf("write sizes: %w", err)
		}
		made.Program, made.File, made.Leaves = fmt.Sprintf("_sizes = %s\n", said)+partsProgram, partsFile, leaves
	}
	return made, nil
}

// parts lists the objects, in the order of their keys; what begins with a dot or an
// underscore is somebody's note.
func (b bucket) parts(ctx context.Context, client *minio.Client, ask Ask, most int64) (list []minio.ObjectInfo, kind string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // else the listing goes on
	below := b.prefix + strings.TrimSuffix(ask.Prefix, "/") + "/"
	total := int64(0)
	for info := range client.ListObjects(ctx, b.url.Host, minio.ListObjectsOptions{Prefix: below, Recursive: true}) {
		if info.Err != nil {
			return nil, "", bucketError(info.Err)
		}
		base := path.Base(info.Key)
		if info.Size == 0 || strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") {
			continue
		}
		of := strings.ToLower(path.Ext(base))
		switch {
		case !slices.Contains(joined, of):
			return nil, "", badAsk("there are objects that cannot be joined", "CSV, TSV, JSON lines and Parquet can; give the key of one object")
		case kind != "" && of != kind:
			return nil, "", badAsk("its objects are of several kinds", "give a prefix with files of one kind, or a key")
		}
		kind, total, list = of, total+info.Size, append(list, info)
		if len(list) > mostObjects || total > most {
			return nil, "", tooLarge(fmt.Sprintf("more than %d objects or %d bytes", mostObjects, most))
		}
	}
	if len(list) == 0 {
		return nil, "", bucketError(minio.ErrorResponse{StatusCode: 404, Code: "NoSuchKey"})
	}
	return list, kind, nil
}

// part appends one object, as it was listed; of the parts of a CSV the first line,
// which all have alike, once.
func (b bucket) part(ctx context.Context, client *minio.Client, info minio.ObjectInfo, kind string, header *[]byte, out *full) error {
	var o minio.GetObjectOptions
	if err := o.SetMatchETag(info.ETag); err != nil {
		return bucketError(err)
	}
	object, err := client.GetObject(ctx, b.url.Host, info.Key, o)
	if err != nil {
		return bucketError(err)
	}
	defer object.Close()
	if kind == ".parquet" {
		return copied(out, object, info.Size)
	}
	lines := bufio.NewReaderSize(object, 64<<10)
	if kind == ".csv" || kind == ".tsv" {
		first, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return badAsk("the first line of a part is longer than a header", "give the key of one object")
		}
		first = bytes.TrimRight(first, "\r\n")
		switch {
		case *header == nil:
			*header = slices.Clone(first)
			if _, err := out.Write(append(first, '\n')); err != nil {
				return err
			}
		case !bytes.Equal(first, *header):
			return badAsk("its parts have different first lines", "give the key of one object")
		}
	}
	return whole(out, lines)
}

// whole copies lines, and ends the last one.
func whole(out *full, lines *bufio.Reader) error {
	last := &lastByte{w: out, b: '\n'}
	if _, err := io.Copy(last, lines); err != nil {
		return bucketError(err)
	}
	if last.b != '\n' {
		_, err := out.Write([]byte{'\n'})
		return err
	}
	return nil
}

// copied copies so many bytes.
func copied(out *full, r io.Reader, size int64) error {
	n, err := io.Copy(out, r)
	if err != nil {
		return bucketError(err)
	}
	if n != size {
		return failed("it breaks off", "try again later", fmt.Errorf("%d bytes of %d", n, size))
	}
	return nil
}

// lastByte knows what was written last.
type lastByte struct {
	w io.Writer
	b byte
}

func (l *lastByte) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.b = p[len(p)-1]
	}
	return l.w.Write(p)
}
