package stream

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/cellwall/cellwall"
)

// wire puts an event of the controller into the words of the surface; nil data:
// clients do not hear of it.
func (b *Buffer) wire(e cellwall.Event) (kind string, data []byte, err error) {
	kind = string(e.Kind)
	switch e.Kind {
	case cellwall.EventStarted:
		data, err = json.Marshal(map[string]string{"id": e.Execution})
	case cellwall.EventStdout:
		data, err = text(b.text.stdout.take(e.Data))
	case cellwall.EventStderr:
		data, err = text(b.text.stderr.take(e.Data))
	case cellwall.EventResult:
		data, err = json.Marshal(e.Rich)
	case cellwall.EventArtifact:
		data = e.Data
	}
	if err != nil {
		return "", nil, fmt.Errorf("tell %s: %w", kind, err)
	}
	return kind, data, nil
}

func text(s string) ([]byte, error) {
	if s == "" {
		return nil, nil
	}
	return json.Marshal(map[string]string{"text": s})
}

// flush tells what is left of characters that never came whole.
func (b *Buffer) flush() {
	if rest := b.text.stdout.end(); rest != "" {
		b.say(string(cellwall.EventStdout), map[string]string{"text": rest})
	}
	if rest := b.text.stderr.end(); rest != "" {
		b.say(string(cellwall.EventStderr), map[string]string{"text": rest})
	}
}

// say adds an event of strings.
func (b *Buffer) say(kind string, what map[string]string) {
	data, err := json.Marshal(what)
	if err == nil { // strings always can be
		_ = b.put(context.Background(), kind, data, false) // the background does not end
	}
}
