package observe

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

// window is how much of a long output is looked at from each end. Overwritten
// lines are folded before, so that a progress bar does not fill it.
const window = 32 * 1024

var outputCut = phrase{
	en: "… the output has {bytes} bytes in all; the middle is left out here …",
	zh: "……输出共 {bytes} 字节，此处省略中间部分……",
}

// stdoutExcerpt is the head and the tail of what was printed.
func (o *observer) stdoutExcerpt(out cellwall.Output) string {
	text := strings.ToValidUTF8(out.Text, "\uFFFD")
	if strings.IndexByte(text, '\r') >= 0 {
		text = folded(text)
	}
	head, tail := text, ""
	if len(text) > 2*window {
		head = shown(strings.ToValidUTF8(text[:window], ""))
		tail = shown(strings.ToValidUTF8(text[len(text)-window:], ""))
		head, tail = o.mask(head), o.mask(tail)
	} else {
		head = o.mask(shown(text))
		if utf8.RuneCountInString(head) <= maxStdout {
			return head
		}
		tail = head
	}
	middle := "\n" + o.say(outputCut, "bytes", grouped(out.Bytes)) + "\n"
	room := maxStdout - utf8.RuneCountInString(middle)
	first := room * 2 / 5
	return wholeLinesHead(head, first) + middle + wholeLinesTail(tail, room-first)
}

// folded keeps the last state of every overwritten line.
func folded(text string) string {
	var b strings.Builder
	for line := range strings.SplitAfterSeq(text, "\n") {
		if body, ok := strings.CutSuffix(line, "\n"); ok {
			b.WriteString(lastState(body))
			b.WriteByte('\n')
		} else {
			b.WriteString(lastState(line))
		}
	}
	return b.String()
}

// wholeLinesHead cuts s to its first n characters, at the end of a line where
// one is near.
func wholeLinesHead(s string, n int) string {
	s = s[:offset(s, n)]
	if i := strings.LastIndexByte(s, '\n'); i > len(s)*3/4 {
		return s[:i]
	}
	return s
}

// wholeLinesTail cuts s to its last n characters, at the start of a line where
// one is near.
func wholeLinesTail(s string, n int) string {
	s = s[tailOffset(s, n):]
	if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)/4 {
		return s[i+1:]
	}
	return s
}

// grouped writes a number with separators: 6,888,890.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
