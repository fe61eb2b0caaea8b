package native

import (
	"errors"
	"os"
	"testing"
)

// A warden may die right after its answer. Which of the two is looked at first
// is chance; the descriptors of an answer that nobody takes must not stay.
func TestStem_AnAnswerBesideTheWardensEndKeepsNoDescriptor(t *testing.T) {
	s := &stem{gone: make(chan struct{})}
	close(s.gone)
	taken, dropped := 0, 0
	for range 200 {
		file, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		answer := make(chan message, 1)
		answer <- message{kind: msgOpen, files: []*os.File{file}}
		m, err := s.answered(answer)
		if err == nil {
			taken++
			m.close()
			continue
		}
		dropped++
		if !errors.Is(err, errStemGone) {
			t.Fatal(err)
		}
		if err := file.Close(); !errors.Is(err, os.ErrClosed) {
			t.Fatal("the descriptor of a dropped answer was left open")
		}
	}
	if taken == 0 || dropped == 0 {
		t.Errorf("taken %d, dropped %d: one of the two never happened", taken, dropped)
	}
}
