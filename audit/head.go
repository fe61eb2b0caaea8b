package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// head is the end of the chain, as it was when the latest line was written. Its
// file is also the lock of all who append.
type head struct {
	Seq  uint64 `json:"seq"`
	Hash digest `json:"hash"`
	Day  string `json:"day"`  // of the file with that line
	Size int64  `json:"size"` // of that file
}

// headSize is the size of the file: it is always written whole.
const headSize = 256

func readHead(f *os.File) (h head, err error) {
	raw := make([]byte, headSize)
	n, err := f.ReadAt(raw, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return h, err
	}
	raw = bytes.TrimRight(raw[:n], " \n")
	if len(raw) == 0 {
		return h, nil
	}
	if err := json.Unmarshal(raw, &h); err != nil {
		return head{}, fmt.Errorf("head is damaged: %w", err)
	}
	return h, nil
}

func writeHead(f *os.File, h head) error {
	raw, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if len(raw) >= headSize {
		return fmt.Errorf("head of %d bytes is too long", len(raw))
	}
	raw = append(raw, bytes.Repeat([]byte(" "), headSize-len(raw))...)
	raw[headSize-1] = '\n'
	_, err = f.WriteAt(raw, 0)
	return err
}
