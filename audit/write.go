package audit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/cellwall/cellwall/internal/filelock"
)

// append writes a batch under the lock of the directory: the chain goes on where
// this or another process left it.
func (l *Log) append(batch []*pending) (err error) {
	if err := l.openHead(); err != nil {
		return err
	}
	if err := filelock.Take(l.head); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, filelock.Release(l.head)) }()
	end, err := readHead(l.head)
	if err != nil || end.Seq == 0 {
		if end, err = l.findEnd(); err != nil {
			return err
		}
	}
	if err := l.turn(max(batch[0].day, end.Day)); err != nil {
		return err
	}
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	at, whole := link{seq: end.Seq, hash: end.Hash}, true
	if end.Day != l.day || end.Size != info.Size() {
		if at, whole, err = l.resume(end, info.Size()); err != nil {
			return err
		}
	}
	var lines []byte
	if !whole {
		lines = append(lines, '\n') // what a killed process left in part is closed
	}
	for _, p := range batch {
		at = chain(at, p.entry)
		lines = at.appendLine(lines, p.entry)
	}
	if err := l.put(lines, info.Size()); err != nil {
		return err
	}
	l.sync.Soon(l.file.Name())
	return writeHead(l.head, head{Seq: at.seq, Hash: at.hash, Day: l.day, Size: info.Size() + int64(len(lines))})
}

// findEnd finds the chain's end when there is no head that can be read. What the
// files lost with it, Verify of an earlier mark can tell.
func (l *Log) findEnd() (head, error) {
	list, err := days(l.dir)
	if err != nil {
		return head{}, err
	}
	for _, day := range slices.Backward(list) {
		last, found, err := lastOfDay(l.dir, day)
		if err != nil {
			return head{}, err
		}
		if found {
			return head{Seq: last.seq, Hash: last.hash, Day: list[len(list)-1]}, nil
		}
	}
	anchor, err := readAnchor(l.dir, nil)
	end := head{Seq: anchor.Seq, Hash: anchor.Hash}
	if len(list) > 0 {
		end.Day = list[len(list)-1]
	}
	return end, err
}

func lastOfDay(dir, day string) (last link, found bool, err error) {
	f, err := os.Open(dayFile(dir, day))
	if err != nil {
		return last, false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return last, false, err
	}
	last, found, _, err = lastLink(f, info.Size())
	return last, found, err
}

// resume finds the chain's end in the files when the head does not tell it: the
// file is new, or a process died between the file and the head.
func (l *Log) resume(end head, size int64) (at link, whole bool, err error) {
	at = link{seq: end.Seq, hash: end.Hash}
	if size == 0 {
		return at, true, nil
	}
	last, found, whole, err := lastLink(l.file, size)
	if err == nil && found && last.seq > at.seq {
		at = last
	}
	return at, whole, err
}

// put writes lines at the end of the file. What a failed
// write left is taken back: the lock makes the end of the file ours.
func (l *Log) put(lines []byte, start int64) error {
	_, err := l.file.Write(lines)
	if err == nil {
		return nil
	}
	if !l.guard.release() {
		return errors.Join(err, l.takeBack(start))
	}
	// The reserve made room for what runs already; nothing new begins.
	if err := l.takeBack(start); err != nil {
		return err
	}
	if _, err = l.file.Write(lines); err != nil {
		return errors.Join(err, l.takeBack(start))
	}
	return nil
}

func (l *Log) takeBack(start int64) error {
	if info, err := l.file.Stat(); err == nil && !info.Mode().IsRegular() {
		return nil // a device keeps nothing
	}
	return l.file.Truncate(start)
}

func (l *Log) openHead() error {
	if l.head != nil {
		return nil
	}
	f, err := os.OpenFile(headFile(l.dir), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	l.head = f
	return nil
}

// turn opens the file of day unless it is open.
func (l *Log) turn(day string) error {
	if l.file != nil && l.day == day {
		return nil
	}
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return fmt.Errorf("turn to the day: %w", err)
	}
	f, err := os.OpenFile(dayFile(l.dir, day), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if l.file != nil {
		err = l.file.Close()
	}
	l.file, l.day = f, day
	return errors.Join(err, syncDir(l.dir))
}

// tailBytes is how much is read at once from the end of a file.
const tailBytes = 64 << 10

// lastLink returns the link of the last whole line that has one, and whether the
// last line of all is whole.
func lastLink(f *os.File, size int64) (last link, found, whole bool, err error) {
	var tail []byte
	for from := size; from > 0 && !found; {
		step := min(from, tailBytes)
		from -= step
		part := make([]byte, step, step+int64(len(tail)))
		if _, err := f.ReadAt(part, from); err != nil {
			return last, false, false, err
		}
		tail = append(part, tail...)
		whole = tail[len(tail)-1] == '\n'
		begun := 0 // the first line of the tail may have begun before it
		if from > 0 {
			begun = bytes.IndexByte(tail, '\n') + 1
		}
		lines := bytes.Split(tail[begun:], []byte("\n"))
		for i := len(lines) - 2; i >= 0 && !found; i-- { // what stands behind the last newline is not whole
			last, _, found = parseLine(lines[i])
		}
		if found || from == 0 {
			return last, found, whole, nil
		}
	}
	return last, found, whole, nil
}
