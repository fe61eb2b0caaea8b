package figure

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Protocol is how a terminal takes figures.
type Protocol string

// The protocols. None means that figures go to files.
const (
	None  Protocol = "file"
	Kitty Protocol = "kitty"
	ITerm Protocol = "iterm"
	Sixel Protocol = "sixel"
)

// Question asks a terminal what it can: one pixel in kitty's protocol that is
// not shown, and the primary attributes.
const Question = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c"

// attributes are the end of an answer, its only part for most terminals.
var (
	attributes = regexp.MustCompile(`\x1b\[\?([0-9;]*)c`)
	answer     = regexp.MustCompile(`(?:\x1b_G[ -~]*\x1b\\)?` + attributes.String())
)

// Answer returns where in what came from a terminal the answer to Question
// stands; 0, 0 = it is not whole.
func Answer(input []byte) (start, end int) {
	if at := answer.FindIndex(input); at != nil {
		return at[0], at[1]
	}
	return 0, 0
}

// Detect says what the terminal with this answer and environment takes.
func Detect(said []byte, env func(string) string) Protocol {
	if env("TMUX") != "" || strings.HasPrefix(env("TERM"), "screen") {
		said = bytes.ReplaceAll(said, []byte("\x1b_Gi=31;OK"), nil) // it is not handed on
	}
	switch {
	case bytes.Contains(said, []byte("\x1b_Gi=31;OK")):
		return Kitty
	case env("TMUX") == "" && (slices.Contains([]string{"iTerm.app", "WezTerm", "mintty"}, env("TERM_PROGRAM")) || env("LC_TERMINAL") == "iTerm2"):
		return ITerm
	}
	if m := attributes.FindSubmatch(said); m != nil && slices.Contains(strings.Split(string(m[1]), ";"), "4") {
		return Sixel
	}
	return None
}

// Columns is how many columns of the terminal a figure of this width takes: as
// many as it has inches, at a width of ten characters, within the screen.
func Columns(width, screen int) int {
	const dotsPerInch, columnsPerInch = 150, 11
	return max(1, min(width*columnsPerInch/dotsPerInch, screen-1))
}

// kittyPiece is how much base64 one piece has at most, by the protocol.
const kittyPiece = 4096

// InKitty is the figure in kitty's protocol, that wide, without an answer.
func InKitty(p PNG, columns int) string {
	content := base64.StdEncoding.EncodeToString(p.Bytes)
	var b strings.Builder
	for first := true; content != ""; first = false {
		piece := content[:min(len(content), kittyPiece)]
		content = content[len(piece):]
		more := 0
		if content != "" {
			more = 1
		}
		if first {
			fmt.Fprintf(&b, "\x1b_Ga=T,f=100,q=2,c=%d,m=%d;%s\x1b\\", columns, more, piece)
		} else {
			fmt.Fprintf(&b, "\x1b_Gq=2,m=%d;%s\x1b\\", more, piece)
		}
	}
	return b.String()
}

// InITerm is the figure in iTerm's protocol, that wide.
func InITerm(p PNG, columns int) string {
	return fmt.Sprintf("\x1b]1337;File=inline=1;size=%d;width=%d;preserveAspectRatio=1:%s\x07",
		len(p.Bytes), columns, base64.StdEncoding.EncodeToString(p.Bytes))
}
