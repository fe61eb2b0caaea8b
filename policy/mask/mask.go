package mask

// Masker knows what is personal. It is safe for concurrent use.
type Masker struct{}

// New returns a masker.
func New() *Masker { return &Masker{} }

// Text masks a whole text.
func (m *Masker) Text(text string) (masked string, counts Counts) {
	s := scanner{text: []byte(text), last: -1, slash: -maxEscape, final: true}
	s.scan()
	if s.counts == nil {
		return text, nil
	}
	return string(s.text), s.counts
}

// Stream returns a new stream.
func (m *Masker) Stream() *Stream { return &Stream{scanner: scanner{last: -1, slash: -maxEscape}} }
