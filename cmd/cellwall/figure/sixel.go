package figure

import (
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// SixelProgram turns the PNG of [SixelInput] into a drawing on its standard
// output, in a sandbox.
//
//go:embed sixel.py
var SixelProgram string

// SixelInput is the input file of SixelProgram: a table with one value, because
// that is what a sandbox reads before it runs code.
func SixelInput(p PNG) (name string, content []byte) {
	return "figure.csv", []byte("png\n" + base64.StdEncoding.EncodeToString(p.Bytes) + "\n")
}

// MaxSixel is how long a drawing may be, in bytes.
const MaxSixel = 4 << 20

// maxSixelSide is how wide and how high one may be, in pixels.
const maxSixelSide = 2048

// drawing is what a drawing consists of: its size, then colors, repetitions,
// pixels, and the two ways back to the left edge.
var drawing = regexp.MustCompile(`^"1;1;(\d{1,4});(\d{1,4})(?:#\d{1,3}(?:;2;\d{1,3};\d{1,3};\d{1,3})?|!\d{1,4}[?-~]|[?-~$-])*$`)

// InSixel is the drawing that a sandbox made, for a terminal. It fails for
// whatever is not a drawing and nothing else.
func InSixel(body string) (string, error) {
	if len(body) > MaxSixel {
		return "", fmt.Errorf("it has more than %d bytes", MaxSixel)
	}
	size := drawing.FindStringSubmatch(body)
	if size == nil {
		return "", errors.New("it is no drawing")
	}
	width, _ := strconv.Atoi(size[1]) // digits
	height, _ := strconv.Atoi(size[2])
	if width == 0 || height == 0 || width > maxSixelSide || height > maxSixelSide || strings.Count(body, "-")*6 > height+6 {
		return "", fmt.Errorf("%d × %d pixels are not its size, or too many", width, height)
	}
	return "\x1bPq" + body + "\x1b\\", nil
}
