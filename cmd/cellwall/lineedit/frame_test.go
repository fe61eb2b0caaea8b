package lineedit

import (
	"context"
	"strings"
	"testing"
)

var shell = Prompt{First: "In [1]: ", More: "   ...: "}

func TestWhatIsPaintedIsTheCell(t *testing.T) {
	const chinese = "有没有可能你按照指定的格式写一段测试文本，内容可以自定，优先保证文字自然"
	for _, c := range []struct {
		name, keys string
		width      int
		want       string
	}{
		{"a line", "print(1)", 40, "In [1]: print(1)"},
		{"two lines", "if x:\ry", 40, "In [1]: if x:\n   ...:     y"},
		{"a line that is wider than the screen", strings.Repeat("x", 25), 20, "In [1]: xxxxxxxxxxx\nxxxxxxxxxxxxxx"},
		{"wide characters are not cut in two", chinese, 23, "In [1]: 有没有可能你按\n照指定的格式写一段测试\n文本，内容可以自定，优\n先保证文字自然"},
		{"an edit in front repaints all rows in place", chinese + "\x01y\x05z\x7f\x01\x1b[3~\x05\x1b[Dx\x7f", 24, "In [1]: 有没有可能你按\n照指定的格式写一段测试\n文本，内容可以自定，优\n先保证文字自然"},
		{"what is shorter leaves no rest", chinese + "\x15ab", 24, "In [1]: ab"},
		{"a tab", "a\x1b[200~\tb\x1b[201~", 40, "In [1]: a    b"},
		{"what a terminal obeys is written out", "\x1b[200~a\x1b[31mb\u202e\x1b[201~", 40, `In [1]: a^[[31mb\u202e`},
		{"an emoji of several characters", "👩‍👩‍👧‍👦x\x1b[D\x7fy", 40, "In [1]: yx"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, screen := typed(t, Options{Finished: blocks}, c.width, 24, c.keys)
			if _, err := e.Read(context.Background(), shell); err == nil {
				t.Fatal("it went on after the end of the keys")
			}
			if got := screen.String(); got != c.want {
				t.Errorf("the screen shows\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestCursorStandsWhereTheNextCharacterGoes(t *testing.T) {
	for _, c := range []struct {
		text            string
		cursor          int
		row, col, width int
	}{
		{"abc", 0, 0, 8, 40},
		{"abc", 3, 0, 11, 40},
		{"数据x", 2, 0, 12, 40},
		{"a\nbc", 2, 1, 8, 40},
		{"a\nbc", 4, 1, 10, 40},
		{"a\n", 2, 1, 8, 40},
		{strings.Repeat("x", 30), 30, 1, 19, 20},
		{strings.Repeat("x", 30), 11, 1, 0, 20},
	} {
		f := frame{width: c.width, height: 24}
		f.lay(shell, []rune(c.text), c.cursor)
		if f.row != c.row || f.col != c.col {
			t.Errorf("%q at %d: row %d, column %d, want %d, %d", c.text, c.cursor, f.row, f.col, c.row, c.col)
		}
	}
}

func TestOnlyWhatFitsOnTheScreenIsPainted(t *testing.T) {
	text := []rune(numbered(100))
	for cursor := range text {
		f := frame{width: 40, height: 10}
		f.lay(shell, text, cursor)
		if len(f.rows) != 10 || f.row < 0 || f.row >= 10 {
			t.Fatalf("cursor %d: %d rows, the cursor in %d", cursor, len(f.rows), f.row)
		}
	}
	f := frame{width: 40, height: 10}
	f.lay(shell, []rune("x"), 1)
	f.list(strings.Split(numbered(500), "\n"), 490)
	if len(f.rows) > 10 || !strings.Contains(strings.Join(f.rows, "\n"), "490") {
		t.Errorf("%d rows without the choice:\n%s", len(f.rows), strings.Join(f.rows, "\n"))
	}
}

func TestAWholeCellIsLeftBehind(t *testing.T) {
	e, screen := typed(t, Options{}, 40, 5, "\x1b[200~"+numbered(20)+"\x1b[201~\r")
	if _, err := e.Read(context.Background(), shell); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(screen.String(), "...:"); got != 19 || screen.col != 0 {
		t.Errorf("%d of 19 further lines, column %d:\n%s", got, screen.col, screen)
	}
}

func TestHighlightFollowsThePieces(t *testing.T) {
	text := []rune("def f(x): # note\n    return f'a\\'b' + \"\"\"x\n\"y\"\"\" + 1.5e3 + for_\nx = 'open\nif")
	color := highlight(text, true)
	painted := map[string]string{}
	for i, r := range text {
		painted[color(i)] += string(r)
	}
	for c, want := range map[string]string{
		colorKeyword: "defreturnif", colorComment: "# note", colorString: "f'a\\'b'\"\"\"x\n\"y\"\"\"'open", colorNumber: "1.5e3",
	} {
		if painted[c] != want {
			t.Errorf("%q is painted %q, want %q", c, painted[c], want)
		}
	}
	if c := highlight([]rune(":undo"), true); c(0) != colorCommand {
		t.Errorf("a command has the color %q", c(0))
	}
	if c := highlight(text, false); c(0) != "" {
		t.Error("a color without colors")
	}
}
