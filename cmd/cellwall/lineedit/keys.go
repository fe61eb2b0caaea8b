package lineedit

// key is one key or one paste.
type key struct {
	kind  kind
	r     rune   // of rune and alt
	paste string // of paste
}

type kind int

const (
	unknown kind = iota
	char         // r
	control      // C-r, r in lower case
	alt          // Alt-r
	paste
	enter
	altEnter
	tab
	backTab
	backspace
	altBackspace
	del
	up
	down
	left
	right
	home
	end
	pageUp
	pageDown
	wordLeft
	wordRight
)

// named are the sequences behind ESC that terminals send, and the keys they
// stand for.
var named = map[string]kind{
	"[A": up, "[B": down, "[C": right, "[D": left, "[H": home, "[F": end,
	"OA": up, "OB": down, "OC": right, "OD": left, "OH": home, "OF": end,
	"[1~": home, "[7~": home, "[4~": end, "[8~": end, "[3~": del, "[5~": pageUp, "[6~": pageDown, "[Z": backTab,
	"[1;5C": wordRight, "[1;5D": wordLeft, "[1;3C": wordRight, "[1;3D": wordLeft, "[5C": wordRight, "[5D": wordLeft,
	"Oc": wordRight, "Od": wordLeft, "[27;3;13~": altEnter, "[13;3u": altEnter, "[27;2;13~": altEnter, "[13;2u": altEnter,
}

// plainKey is the key of one character without ESC before it.
func plainKey(r rune) key {
	switch r {
	case '\r', '\n':
		return key{kind: enter}
	case '\t':
		return key{kind: tab}
	case 0x7f, 0x08:
		return key{kind: backspace}
	case 0x1f:
		return key{kind: control, r: '_'}
	}
	switch {
	case r == 0x1b:
		return key{}
	case r < 0x20:
		return key{kind: control, r: r + 0x60}
	}
	return key{kind: char, r: r}
}

// escapedKey is the key of a character after ESC.
func escapedKey(r rune) key {
	switch r {
	case '\r', '\n':
		return key{kind: altEnter}
	case 0x7f, 0x08:
		return key{kind: altBackspace}
	}
	return key{kind: alt, r: r}
}
