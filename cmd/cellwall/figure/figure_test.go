package figure

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"strings"
	"testing"
)

// made is a PNG as an encoder makes it.
func made(t testing.TB, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// chunk is one chunk with its checksum.
func chunk(kind string, body []byte) []byte {
	c := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	c = append(append(c, kind...), body...)
	return binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(c[4:]))
}

// with puts a chunk behind the header.
func with(raw []byte, c []byte) []byte {
	return bytes.Join([][]byte{raw[:33], c, raw[33:]}, nil)
}

func TestCheckLeavesThePictureAndNothingElse(t *testing.T) {
	raw := made(t, 30, 20)
	noisy := append(with(raw, chunk("tEXt", []byte("Comment\x00\x1b]0;owned\x07"))), "behind the end"...)
	p, err := Check(noisy)
	if err != nil || p.Width != 30 || p.Height != 20 || !bytes.Equal(p.Bytes, raw) {
		t.Fatalf("%d × %d, %d of %d bytes, %v", p.Width, p.Height, len(p.Bytes), len(raw), err)
	}
	if _, err := png.Decode(bytes.NewReader(p.Bytes)); err != nil {
		t.Errorf("it cannot be decoded any more: %v", err)
	}
}

func TestP7_WhatIsNoSmallPNGIsNotShown(t *testing.T) {
	raw := made(t, 30, 20)
	damaged := bytes.Clone(raw)
	damaged[40] ^= 1
	huge := bytes.Clone(raw)
	copy(huge[8:], chunk("IHDR", append([]byte{0, 0, 0x40, 0, 0, 0, 0x40, 0}, raw[24:29]...)))
	endless := bytes.Clone(raw)
	binary.BigEndian.PutUint32(endless[33:], 1<<31)
	for name, bad := range map[string][]byte{
		"nothing": nil, "text": []byte("GIF89a"), "a signature": []byte(signature), "an end": raw[:len(raw)-1], "a damaged chunk": damaged,
		"too many pixels": huge, "too many bytes": make([]byte, MaxBytes+1), "a chunk without an end": endless,
		"a second header":             with(raw, raw[8:33]),
		"a chunk that must be known":  with(raw, chunk("EVIL", nil)),
		"a long palette":              with(raw, chunk("PLTE", make([]byte, 1000))),
		"no pixels":                   append(bytes.Clone(raw[:33]), chunk("IEND", nil)...),
		"a header of another length":  append([]byte(signature), chunk("IHDR", make([]byte, 12))...),
		"a header with another depth": append([]byte(signature), chunk("IHDR", []byte{0, 0, 0, 1, 0, 0, 0, 1, 3, 0, 0, 0, 0})...),
	} {
		if p, err := Check(bad); err == nil {
			t.Errorf("%s passed: %d × %d", name, p.Width, p.Height)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(made(f, 3, 2))
	f.Add(with(made(f, 3, 2), chunk("tEXt", []byte("x"))))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := Check(raw)
		if err != nil {
			return
		}
		again, err := Check(p.Bytes)
		if err != nil || !bytes.Equal(again.Bytes, p.Bytes) || p.Width*p.Height > MaxPixels {
			t.Errorf("what passed does not pass again: %v", err)
		}
	})
}

func TestProtocolsCarryThePictureInTheirEnvelope(t *testing.T) {
	p := PNG{Bytes: bytes.Repeat([]byte("picture"), 2000), Width: 960, Height: 720}
	kitty := InKitty(p, 70)
	var content strings.Builder
	pieces := strings.Split(strings.TrimSuffix(kitty, "\x1b\\"), "\x1b\\")
	for i, piece := range pieces {
		head, body, ok := strings.Cut(piece, ";")
		if !ok || !strings.HasPrefix(head, "\x1b_G") || len(body) > kittyPiece || strings.HasSuffix(head, "m=1") != (i < len(pieces)-1) {
			t.Fatalf("piece %d of %d: %q, %d bytes", i, len(pieces), head, len(body))
		}
		content.WriteString(body)
	}
	if got, err := base64.StdEncoding.DecodeString(content.String()); !bytes.Equal(got, p.Bytes) || err != nil {
		t.Errorf("kitty gets another picture: %v", err)
	}
	if got := InITerm(PNG{Bytes: []byte("abc")}, 7); got != "\x1b]1337;File=inline=1;size=3;width=7;preserveAspectRatio=1:YWJj\x07" {
		t.Errorf("iTerm gets %q", got)
	}
	if a, b := Columns(960, 80), Columns(96000, 80); a != 70 || b != 79 {
		t.Errorf("%d and %d columns", a, b)
	}
}

func TestDetectBelievesTheAnswerFirst(t *testing.T) {
	const kitty, plain, sixel = "\x1b_Gi=31;OK\x1b\\\x1b[?62c", "\x1b[?62;22c", "\x1b[?62;4;22c"
	for _, c := range []struct {
		answer string
		env    map[string]string
		want   Protocol
	}{
		{kitty, nil, Kitty},
		{plain, nil, None},
		{"", nil, None},
		{sixel, nil, Sixel},
		{"\x1b[?44;64c", nil, None},
		{plain, map[string]string{"TERM_PROGRAM": "iTerm.app"}, ITerm},
		{sixel, map[string]string{"TERM_PROGRAM": "WezTerm"}, ITerm},
		{plain, map[string]string{"LC_TERMINAL": "iTerm2"}, ITerm},
		{kitty, map[string]string{"TMUX": "x"}, None},
		{sixel, map[string]string{"TMUX": "x", "TERM_PROGRAM": "tmux", "LC_TERMINAL": "iTerm2"}, Sixel},
	} {
		if got := Detect([]byte(c.answer), func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%q in %v: %s, want %s", c.answer, c.env, got, c.want)
		}
	}
	if start, end := Answer([]byte("ab" + kitty + "x")); start != 2 || end != 2+len(kitty) {
		t.Errorf("the answer stands from %d to %d of %d", start, end, len(kitty)+3)
	}
	if _, end := Answer([]byte("\x1b_Gi=31;OK\x1b\\\x1b[?62;")); end != 0 {
		t.Error("half an answer is one")
	}
}

func TestO112_OnlyADrawingReachesTheTerminal(t *testing.T) {
	const good = `"1;1;12;12#0;2;0;0;0#1;2;100;100;100#0!12~$#1??@-#0~~~-`
	if got, err := InSixel(good); err != nil || got != "\x1bPq"+good+"\x1b\\" {
		t.Errorf("a drawing: %q, %v", got, err)
	}
	for name, bad := range map[string]string{
		"an escape": `"1;1;6;6~` + "\x1b\\\x1b]0;x\x07", "a control character": `"1;1;6;6~` + "\r", "no size": "~~~", "no height": `"1;1;6;0~`,
		"too wide": `"1;1;9999;6~`, "more rows than its height": `"1;1;6;6` + strings.Repeat("~-", 9), "a long repetition": `"1;1;6;6!99999~`,
		"too long": `"1;1;6;6` + strings.Repeat("~", MaxSixel), "an 8-bit control": `"1;1;6;6` + "\u009c",
	} {
		if _, err := InSixel(bad); err == nil {
			t.Errorf("%s passed", name)
		}
	}
}
