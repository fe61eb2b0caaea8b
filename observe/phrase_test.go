package observe

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/cellwall/cellwall"
)

// every returns every sentence of the package by a name for messages.
func every() map[string]phrase {
	all := map[string]phrase{
		"importFirst": importFirst, "seeMeant": seeMeant, "unknownCause": unknownCause, "textKind": textKind, "rowsInParts": rowsInParts,
		"rowsInFile": rowsInFile, "rowsByQuery": rowsByQuery, "findingInstead": findingInstead, "alsoMet": alsoMet, "artifactFormulas": artifactFormulas,
		"thisPlace": thisPlace, "findingLine": findingLine, "outputCut": outputCut, "rowsSampled": rowsSampled,
		"sampleRandom": sampleRandom, "sampleHead": sampleHead, "artifactRefused": artifactRefused, "artifactsMore": artifactsMore,
		"artifactsCut": artifactsCut, "outputTruncated": outputTruncated, "callsRefused": callsRefused, "columnsCut": columnsCut,
		"warningsCut": warningsCut, "displayedMore": displayedMore, "picture": picture, "chartWords": chartWords,
		"chartTitle": chartTitle, "chartAxes": chartAxes, "chartSeries": chartSeries, "chartMore": chartMore,
		"wentBack": wentBack, "wentBackFar": wentBackFar, "filesStayed": filesStayed, "sessionOver": sessionOver, "theyAre": theyAre,
	}
	for c, p := range hints {
		all["hint "+string(c)] = p
	}
	for c, p := range endings {
		all["ending "+string(c)] = p
	}
	for c, p := range notices {
		all["notice "+c] = p
	}
	for kind, table := range map[string]map[class][]phrase{"session": sessionHints, "finer": finer, "barer": barer} {
		for c, ways := range table {
			for i, p := range ways {
				all[fmt.Sprint(kind, " hint ", c, " ", i)] = p
			}
		}
	}
	for c, p := range stops {
		all["stop "+string(c)] = p
	}
	for c, p := range limitNames {
		all["limit "+c] = p
	}
	return all
}

func TestM10_EverySentenceExistsInBothLanguages(t *testing.T) {
	for name, p := range every() {
		if p.en == "" || p.zh == "" {
			t.Errorf("%s lacks a language", name)
		}
		en, zh := blanks(p.en), blanks(p.zh)
		slices.Sort(en)
		slices.Sort(zh)
		if !slices.Equal(en, zh) {
			t.Errorf("%s fills in %v in English and %v in Chinese", name, en, zh)
		}
		if len(p.en) > 20 && !slices.ContainsFunc([]rune(p.zh), func(r rune) bool { return unicode.Is(unicode.Han, r) }) && name != "chartSeries" {
			t.Errorf("%s has no Chinese in %q", name, p.zh)
		}
		if n := len([]rune(p.en)); n > 400 {
			t.Errorf("%s is a speech of %d characters", name, n)
		}
	}
}

func TestM10_EveryClassHasAHint(t *testing.T) {
	facts := newObserver(failed(*errorOf("X", "x"))).facts(fault{})
	for _, r := range rules {
		if _, ok := hints[r.class]; !ok {
			t.Errorf("class %s has no hint", r.class)
		}
	}
	for status, c := range byStatus {
		if _, ok := hints[c]; !ok {
			t.Errorf("status %s has no hint", status)
		}
		if _, ok := endings[c]; !ok {
			t.Errorf("status %s has no message", status)
		}
	}
	for named, p := range every() {
		if !strings.Contains(named, "hint ") {
			continue
		}
		for _, name := range blanks(p.en) {
			if !slices.Contains(facts, name) {
				t.Errorf("%s names %s, which is no fact", named, name)
			}
		}
	}
}

func TestM11_TheNoticesOfTheDriverAreAllInWords(t *testing.T) {
	for _, code := range []string{
		"rows_sampled", "missing_values", "empty_chart", "missing_glyphs", "labels_overlap", "labels_cut", "not_finite", "total_row",
		"join_multiplied", "sum_of_identifiers", "empty_result", "fence_removed", "magic_ignored", "backend_ignored", "results_dropped", "types_dropped", "artifact_missing", "limit_met", "not_prepared", "template_lost", "personal_data_masked", "output_withheld",
		cellwall.LostThreads, cellwall.LostPools, cellwall.LostProcesses, cellwall.LostLocks, cellwall.LostTimers, cellwall.LostPipes,
		cellwall.LostMappings, cellwall.LostFiles, "checkpoint_failed", "checkpoint_skipped", "checkpoint_too_large", "checkpoint_unavailable",
	} {
		if _, ok := notices[code]; !ok {
			t.Errorf("notice %s has no words", code)
		}
	}
}
