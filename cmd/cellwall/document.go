package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/cellwall/cellwall/internal/visible"
)

// printJSON prints the only document of --json.
func (p *program) printJSON(v any) error {
	var document bytes.Buffer
	enc := json.NewEncoder(&document)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("print document: %w", err)
	}
	if _, err := p.stdout.Write(shownJSON(document.Bytes())); err != nil {
		return fmt.Errorf("print document: %w", err)
	}
	return nil
}

// shownJSON writes out, as JSON's own escapes, every character that does not
// show or that a terminal obeys. They stand in strings only, and the document
// means the same.
func shownJSON(document []byte) []byte {
	if bytes.IndexFunc(document, unshown) < 0 {
		return document
	}
	shown := make([]byte, 0, len(document)+len(document)/8)
	for len(document) > 0 {
		r, n := utf8.DecodeRune(document)
		switch {
		case !unshown(r):
			shown = append(shown, document[:n]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			shown = fmt.Appendf(shown, `\u%04x\u%04x`, high, low)
		default:
			shown = fmt.Appendf(shown, `\u%04x`, r)
		}
		document = document[n:]
	}
	return shown
}

func unshown(r rune) bool {
	return r != '\n' && !visible.Shows(r)
}
