package mask_test

import "testing"

// TestM15_PrecisionAndRecallOnTheLabelledSet judges by what comes out: a number is
// hidden when at most its last four digits stand, an address when at most its first
// character does; any other change is a false alarm.
func TestM15_PrecisionAndRecallOnTheLabelledSet(t *testing.T) {
	m, score, told := newMasker(nil), map[string]*tally{"all": {}}, 0
	for _, l := range labelledSet(20261130, 12000, 12000) {
		got := m.Text(l.text)
		if len(got) != len(l.text) {
			t.Fatalf("%s: %d bytes became %d", l.about, len(l.text), len(got))
		}
		missed, alarms := judge(l, got, score)
		if told < 40 && missed+alarms > 0 {
			told++
			t.Logf("%d missed, %d false alarms, %s: %q became %q", missed, alarms, l.about, l.text, got)
		}
	}
	for _, kind := range []string{"phone", "id", "card", "email", "all"} {
		s := score[kind]
		t.Logf("%-5s %5d labels, %5d hidden: recall %.4f", kind, s.labels, s.hidden, s.recall())
		if s.recall() < 0.99 {
			t.Errorf("%s: recall below 0.99", kind)
		}
	}
	all := score["all"]
	t.Logf("%d false alarms in %d texts around what looks personal and is not: precision %.4f", all.alarms, 12000, all.precision())
	if all.precision() < 0.99 {
		t.Error("precision below 0.99")
	}
}

// tally counts labels of a kind.
type tally struct{ labels, hidden, alarms int }

func (s tally) precision() float64 { return float64(s.hidden) / float64(s.hidden+s.alarms) }
func (s tally) recall() float64    { return float64(s.hidden) / float64(s.labels) }

func judge(l labelled, got string, score map[string]*tally) (missed, alarms int) {
	changed := make([]bool, len(got))
	for i := range len(got) {
		changed[i] = got[i] != l.text[i]
	}
	for _, x := range l.labels {
		if score[x.kind] == nil {
			score[x.kind] = &tally{}
		}
		for _, s := range []*tally{score[x.kind], score["all"]} {
			s.labels++
			if hides(x, l.text, changed) {
				s.hidden++
			}
		}
		if !hides(x, l.text, changed) {
			missed++
		}
		clear(changed[x.start:x.end])
	}
	for i, c := range changed {
		if c && (i == 0 || !changed[i-1]) {
			alarms++
			score["all"].alarms++
		}
	}
	return missed, alarms
}

func hides(x label, text string, changed []bool) bool {
	stand := 0
	for i := x.start; i < x.end; i++ {
		c := text[i]
		if x.kind == "email" && c == '@' {
			return stand <= 1
		}
		digit := c >= '0' && c <= '9' || c >= 0x90 && c <= 0x99 // the last byte of a wide one
		if !changed[i] && (digit || x.kind == "email") {
			stand++
		}
	}
	return stand <= 4
}
