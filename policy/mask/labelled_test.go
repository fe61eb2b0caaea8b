package mask_test

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// The labelled set is written from what is published about the formats, before the
// masker and without a look at it: GB 11643 and ISO 7064, ISO/IEC 7812, ITU-T E.164
// and the Chinese numbering plan, RFC 5321.

// label is where personal data stands in a text.
type label struct {
	kind       string // phone id card email
	start, end int    // bytes
}

// labelled is one text and everything personal in it.
type labelled struct {
	about    string // where it comes from, for failures
	text     string
	labels   []label
	negative bool // made around something that looks personal and is not
}

// value is something to be put into a text: personal, or looking like it.
type value struct {
	kind   string // "" = a hard negative
	text   string
	number bool // can stand bare in JSON
}

// document puts text together and remembers where what stands.
type document struct {
	strings.Builder
	labels []label
}

func (d *document) say(text ...string) {
	for _, s := range text {
		d.WriteString(s)
	}
}

func (d *document) put(v value) {
	start := d.Len()
	d.WriteString(v.text)
	if v.kind != "" {
		d.labels = append(d.labels, label{kind: v.kind, start: start, end: d.Len()})
	}
}

// labelledSet makes the set: the same for the same seed.
func labelledSet(seed uint64, positives, negatives int) []labelled {
	r := rand.New(rand.NewPCG(seed, 7))
	var set []labelled
	makers := []func(*rand.Rand) value{mobile, mobile, residentID, residentID, bankCard, bankCard, email, email, international}
	for n := 0; n < positives; n++ {
		set = append(set, inContext(r, makers[n%len(makers)](r)))
	}
	for n := 0; n < negatives; n++ {
		n := inContext(r, hardNegatives[n%len(hardNegatives)].make(r))
		n.negative = true
		set = append(set, n)
	}
	return set
}

func inContext(r *rand.Rand, v value) labelled {
	c := contexts[r.IntN(len(contexts))]
	var d document
	c.write(r, &d, v)
	return labelled{about: c.name + ": " + v.text, text: d.String(), labels: d.labels}
}

// TestM15_TheLabelledSetIsWhatItSays holds the generator to published examples and
// to its own labels.
func TestM15_TheLabelledSetIsWhatItSays(t *testing.T) {
	if got := checkDigitOfID("11010519491231002"); got != 'X' { // the example of GB 11643
		t.Errorf("the check digit of GB 11643's example is %c, not X", got)
	}
	if got := checkDigitOfID("44052418800101001"); got != '4' { // its other one
		t.Errorf("the check digit of GB 11643's second example is %c, not 4", got)
	}
	for number, want := range map[string]bool{
		"79927398713": true, "79927398710": false, "4111111111111111": true, "378282246310005": true, "5555555555554444": true,
	} {
		if luhnHolds(number) != want {
			t.Errorf("Luhn of %s is not %v", number, want)
		}
	}
	seen, negatives := map[string]int{}, 0
	for _, l := range labelledSet(1, 5400, 5400) {
		if l.negative {
			negatives++
		}
		for _, x := range l.labels {
			seen[x.kind]++
			if x.start >= x.end || x.end > len(l.text) {
				t.Fatalf("%s: label %v is not in the text", l.about, x)
			}
		}
	}
	for _, kind := range []string{"phone", "id", "card", "email"} {
		if seen[kind] < 1000 {
			t.Errorf("only %d of %s", seen[kind], kind)
		}
	}
	if negatives < 5000 {
		t.Errorf("only %d hard negatives", negatives)
	}
	t.Logf("positives %v, hard negatives %d", seen, negatives)
}
