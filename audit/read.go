package audit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Read calls each with every whole line of r that holds a JSON document,
// without its newline, and returns how many other lines there were: those that
// a killed process left in part. The slice is each's to keep. It stops at
// each's error.
func Read(r io.Reader, each func(line []byte) error) (damaged int, err error) {
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF):
			if len(line) > 0 {
				damaged++ // without a newline it is not known to be whole
			}
			return damaged, nil
		case err != nil:
			return damaged, fmt.Errorf("read records: %w", err)
		}
		line = line[:len(line)-1]
		if !json.Valid(line) {
			damaged++
			continue
		}
		if err := each(line); err != nil {
			return damaged, err
		}
	}
}

// Each calls each with every whole line of the days from since on, in the order
// in which they were written. Lines that others write meanwhile may be among them.
func (l *Log) Each(since time.Time, each func(line []byte) error) error {
	list, err := days(l.dir)
	if err != nil {
		return fmt.Errorf("read records: %w", err)
	}
	for _, day := range list {
		if day < since.UTC().Format(time.DateOnly) {
			continue
		}
		if err := eachOf(dayFile(l.dir, day), each); err != nil {
			return err
		}
	}
	return nil
}

func eachOf(path string, each func(line []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read records: %w", err)
	}
	defer f.Close()
	_, err = Read(f, each)
	return err
}
