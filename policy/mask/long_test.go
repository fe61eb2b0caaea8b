package mask_test

import (
	"strings"
	"testing"
)

// What is before the @ may be glued to more than an address can have: none of it that
// could be a name is told, whether the text comes whole, in pieces or byte by byte.
func TestM15_NoHalfOfAnAddressIsToldOfATokenThatIsTooLong(t *testing.T) {
	m := newMasker(nil)
	for _, c := range []struct {
		text, rest string
		gone       []string
	}{
		{strings.Repeat("x", 70000) + "alice@exam", "ple.com", []string{"alice"}},
		{strings.Repeat("x", 65) + "alice@example", ".com and more", []string{"alice"}},
		{strings.Repeat("a.", 9000) + "bob", "@example.com ", []string{"bob"}},
		{strings.Repeat("k", 90) + "=alice", "@example.com ", []string{"alice"}},
		{"13812345678-" + strings.Repeat("n", 58) + "alice@", "example.com ", []string{"1381234", "alice"}},
	} {
		text := c.text + c.rest
		want := m.Text(text)
		for _, size := range []int{1, 1000, len(c.text)} {
			s, got := m.Begin().Stream(), ""
			for at := 0; at < len(text); at += size {
				got += string(s.Push([]byte(text[at:min(at+size, len(text))])))
				for _, secret := range c.gone {
					if strings.Contains(got, secret) {
						t.Errorf("in pieces of %d %q is told: …%.90q", size, secret, got[max(0, len(got)-90):])
					}
				}
			}
			if got += string(s.Flush()); got != want || len(got) != len(text) {
				t.Errorf("in pieces of %d: …%q, whole …%q", size, got[max(0, len(got)-90):], want[max(0, len(want)-90):])
			}
		}
	}
}

func TestM15_ALongUserOfAServerIsNoAddress(t *testing.T) {
	text := "git clone https://" + strings.Repeat("t", 90) + "@example.com/x"
	if got := newMasker(nil).Text(text); got != text {
		t.Errorf("it became %q", got)
	}
}
