package controller

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// Masking takes personal data out of what one execution tells. What it has masked it
// leaves as it is.
type Masking interface {
	Text(text string) string
	// JSON masks the texts in valid JSON, which stays valid; numbers too when asked.
	JSON(raw []byte, numbers bool) []byte
	Stream() MaskedStream
	Counts() map[string]int // so far, by kind
	// Most is of each kind how many may not even be told masked; a kind that is not in it has no bound.
	Most() map[string]int
}

// MaskedStream masks a text that comes in pieces, the same wherever they are cut.
type MaskedStream interface {
	Push(piece []byte) []byte // what can be said now
	Flush() []byte            // the rest
}

// masked is the way of a run's events through a Masking.
type masked struct {
	Masking
	stdout, stderr MaskedStream
	execution      string
	described      map[string]int // of Counts, in descriptions of the inputs
	over           string         // the kind for which all is withheld; "" = none
	types          int            // of displayed values, which were dropped
}

func newMasked(m Masking, execution string) *masked {
	if m == nil {
		return nil
	}
	return &masked{Masking: m, stdout: m.Stream(), stderr: m.Stream(), execution: execution, described: map[string]int{}}
}

// event returns an event as it is kept, and as the caller hears it. What the
// controller itself must compare with what it knows – the description of the inputs –
// is kept as it came, and masked in the Result. It is false for a piece of output of
// which nothing can be said yet.
func (m *masked) event(e cellwall.Event) (kept, told cellwall.Event, some bool) {
	kept = e
	switch e.Kind {
	case cellwall.EventStdout:
		kept.Data = m.stdout.Push(e.Data)
		return kept, kept, len(kept.Data) > 0 && !m.withheld()
	case cellwall.EventStderr:
		kept.Data = m.stderr.Push(e.Data)
		return kept, kept, len(kept.Data) > 0 && !m.withheld()
	case cellwall.EventResult:
		if e.Rich != nil {
			kept.Rich = m.rich(*e.Rich)
		}
		return kept, kept, !m.withheld()
	case cellwall.EventError:
		kept.Data = m.failure(e.Data)
		return kept, kept, true
	case cellwall.EventDatasets, cellwall.EventTables, cellwall.EventNotice:
		told = e
		told.Data = m.describe(e.Data)
		return kept, told, true
	case cellwall.EventStarted, cellwall.EventDone, cellwall.EventArtifact:
	}
	return kept, kept, true
}

// rest are the ends of the streams, which waited for more.
func (m *masked) rest() (events []cellwall.Event) {
	for kind, stream := range map[cellwall.EventKind]MaskedStream{cellwall.EventStdout: m.stdout, cellwall.EventStderr: m.stderr} {
		if data := stream.Flush(); len(data) > 0 && !m.withheld() {
			events = append(events, cellwall.Event{At: time.Now(), Execution: m.execution, Kind: kind, Data: data})
		}
	}
	return events
}

// rich masks a displayed value, but pictures and other bytes. Its types are the code's
// own words: what is none, or holds something personal, is dropped with its content.
func (m *masked) rich(r cellwall.Rich) *cellwall.Rich {
	data := make(map[string]json.RawMessage, len(r.Data))
	for media, content := range r.Data {
		if !mediaType.MatchString(media) || m.word(media) != media {
			m.types++
			continue
		}
		if !binary(media) {
			content = m.JSON(content, true)
		}
		data[media] = content
	}
	r.Data = data
	return &r
}

// binary reports whether a type is carried as base64.
func binary(media string) bool {
	first, _, _ := strings.Cut(media, "/")
	return media == "application/pdf" || media == "application/octet-stream" || slices.Contains([]string{"image", "audio", "video", "font"}, first)
}

// maskText is what observe masks with, nil when it does not.
func (x *execution) maskText() func(string) string {
	if x.masking == nil {
		return nil
	}
	return x.masking.Text
}

// mask takes personal data out of what else the Result tells, and notes how much there
// was.
func (x *execution) mask() {
	m := x.masking
	if m == nil {
		return
	}
	r := x.result
	if r.Datasets != nil {
		if raw, err := json.Marshal(r.Datasets); err == nil {
			var all []cellwall.Dataset
			if json.Unmarshal(m.JSON(raw, false), &all) == nil {
				r.Datasets = all
			}
		}
	}
	for i, f := range r.Findings {
		r.Findings[i].Message, r.Findings[i].Instead = m.Text(f.Message), m.Text(f.Instead)
	}
	counts := x.maskedCounts()
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, kind+" "+strconv.Itoa(counts[kind]))
	}
	if parts != nil {
		x.notes = append(x.notes, notice("personal_data_masked", "counts", strings.Join(parts, ", ")))
	}
}
