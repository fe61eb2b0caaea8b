package lineedit

import "strings"

// The colors of code and prompt: the sixteen that every terminal has, as its
// owner set them.
const (
	colorPrompt  = "\x1b[32m"
	colorKeyword = "\x1b[35m"
	colorString  = "\x1b[33m"
	colorNumber  = "\x1b[36m"
	colorComment = "\x1b[90m"
	colorCommand = "\x1b[34m"
)

func promptColor(colors bool) string {
	if colors {
		return colorPrompt
	}
	return ""
}

const keywords = " False None True and as assert async await break case class continue def del elif else except finally for from " +
	"global if import in is lambda match nonlocal not or pass raise return try while with yield "

func isKeyword(name string) bool { return strings.Contains(keywords, " "+name+" ") }

// highlight returns the color of each character of a piece of Python, which
// need not be whole.
func highlight(text []rune, colors bool) func(at int) string {
	if !colors {
		return func(int) string { return "" }
	}
	color := make([]string, len(text))
	if len(text) > 0 && text[0] == ':' {
		return func(int) string { return colorCommand }
	}
	for i := 0; i < len(text); {
		end, c := token(text, i)
		for ; i < end; i++ {
			color[i] = c
		}
	}
	return func(at int) string { return color[at] }
}

// token returns where the token at i ends, and its color.
func token(text []rune, i int) (end int, color string) {
	r := text[i]
	switch {
	case r == '#':
		for i < len(text) && text[i] != '\n' {
			i++
		}
		return i, colorComment
	case r == '"' || r == '\'':
		return quoted(text, i), colorString
	case r >= '0' && r <= '9':
		for i < len(text) && (word(text[i]) || text[i] == '.') {
			i++
		}
		return i, colorNumber
	case word(r):
		from := i
		for i < len(text) && word(text[i]) {
			i++
		}
		name := string(text[from:i])
		if isKeyword(name) {
			return i, colorKeyword
		}
		if i < len(text) && (text[i] == '"' || text[i] == '\'') && len(name) <= 2 && strings.Trim(strings.ToLower(name), "rbfut") == "" {
			return quoted(text, i), colorString
		}
		return i, ""
	}
	return i + 1, ""
}

// quoted returns where the string ends whose quote stands at i.
func quoted(text []rune, i int) int {
	quote := string(text[i])
	if rest := string(text[i:min(i+3, len(text))]); rest == strings.Repeat(quote, 3) {
		quote = rest
	}
	for i += len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == '\n' && len(quote) == 1:
			return i
		case strings.HasPrefix(string(text[i:min(i+3, len(text))]), quote):
			return i + len(quote)
		}
	}
	return len(text)
}
