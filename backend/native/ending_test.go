package native

import (
	"io"
	"os"
	"testing"
	"time"
)

func TestWhatWasWrittenIsReadToItsEnd(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(e *ending, w *os.File)
	}{
		{"the writer closes", func(_ *ending, w *os.File) { w.Close() }},
		{"the writer is known to be silent", func(e *ending, _ *os.File) { e.silence() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			defer w.Close()
			e := &ending{stream: r}
			got := make(chan string)
			go func() {
				text, err := io.ReadAll(e)
				if err != nil {
					t.Error(err)
				}
				got <- string(text)
			}()
			time.Sleep(10 * time.Millisecond) // so that the reader waits, whichever way it wakes
			w.WriteString("all of it")
			test.end(e, w)
			select {
			case text := <-got:
				if text != "all of it" {
					t.Errorf("read %q", text)
				}
			case <-time.After(time.Minute):
				t.Fatal("the end was not seen")
			}
		})
	}
}

func TestSilenceFindsWhatNobodyReadYet(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	w.WriteString("late")
	e := &ending{stream: r}
	e.silence()
	if text, err := io.ReadAll(e); err != nil || string(text) != "late" {
		t.Errorf("read %q, %v", text, err)
	}
}
