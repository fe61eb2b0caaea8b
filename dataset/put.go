package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/cellwall/cellwall"
)

// Put stores what r gives until its end as a new dataset of who. It fails with
// CodeTooLarge as soon as more than maxBytes (0 = as in [Open]) arrive and
// with CodeBadRequest when nothing does, and then leaves nothing behind. When it
// returns the bytes and their record are on disk.
func (s *Store) Put(r io.Reader, name string, who cellwall.Identity, maxBytes int64) (Record, error) {
	path := s.incoming()
	record, err := receive(r, path, maxBytes)
	if err != nil {
		return Record{}, errors.Join(err, removeIfThere(path))
	}
	record.V, record.ID = version, cellwall.NewID(cellwall.PrefixDataset)
	record.Identity, record.Name, record.Stored = who, SafeName(name), time.Now().UTC()
	err = s.keep(path, record)
	if err == nil {
		err = s.writeRecord(record)
	}
	if err != nil {
		err = fmt.Errorf("store dataset: %w", err)
		return Record{}, errors.Join(err, removeIfThere(path), removeIfThere(s.data(record.ID)), s.dropContent(record.SHA256))
	}
	return record, nil
}

// receive writes an upload to path, counting and hashing on the way.
func receive(r io.Reader, path string, maxBytes int64) (Record, error) {
	maxBytes = orDefault(maxBytes)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return Record{}, fmt.Errorf("store dataset: %w", err)
	}
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, hash), io.LimitReader(r, maxBytes+1))
	if err == nil && n > maxBytes {
		err = &cellwall.Error{
			Code: cellwall.CodeTooLarge, Op: "store dataset",
			Err: fmt.Errorf("more than %d bytes", maxBytes), Hint: "upload a part of it, or save it as Parquet",
		}
	}
	if err == nil && n == 0 {
		err = &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "store dataset",
			Err: errors.New("it is empty"), Hint: "upload a file that has bytes",
		}
	}
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return Record{}, err
	}
	return Record{Bytes: n, SHA256: hex.EncodeToString(hash.Sum(nil))}, nil
}

// keep gives the dataset its data: a link to the content when that is there
// already, else to what has just arrived, which becomes the content.
func (s *Store) keep(path string, record Record) error {
	content, data := s.content(record.SHA256), s.data(record.ID)
	err := os.Link(content, data)
	if err == nil {
		return os.Remove(path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return keepAlone(path, data, err)
	}
	if err := os.Link(path, data); err != nil {
		return keepAlone(path, data, err)
	}
	return os.Rename(path, content) // another upload of the same may win: same bytes
}

// keepAlone stores a dataset without sharing, where links cannot be had or a
// file has as many as it may.
func keepAlone(path, data string, why error) error {
	for _, errno := range []error{syscall.EPERM, syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EMLINK} {
		if errors.Is(why, errno) {
			return os.Rename(path, data)
		}
	}
	return why
}

// writeRecord makes the dataset exist, in one step.
func (s *Store) writeRecord(record Record) error {
	raw, err := json.Marshal(record)
	if err != nil {
		return err
	}
	path := s.incoming()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return err
	}
	_, err = f.Write(append(raw, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(path, s.index(record.ID))
	}
	if err != nil {
		return errors.Join(err, removeIfThere(path))
	}
	return syncDir(s.index(""))
}

// dropContent removes a content that has no link but its own.
func (s *Store) dropContent(sum string) error {
	info, err := os.Stat(s.content(sum))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at content: %w", err)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Nlink > 1 {
		return nil
	}
	return removeIfThere(s.content(sum))
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
