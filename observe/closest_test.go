package observe

import (
	"slices"
	"strings"
	"testing"
)

func TestM10_ClosestNames(t *testing.T) {
	penguins := []string{"species", "island", "bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g", "sex", "year"}
	orders := []string{"订单日期", "区域", "产品", "销售额", "成本", "利润"}
	shop := []string{"region", "revenue", "cost", "qty", "order_date", "Unit Price"}
	for _, c := range []struct {
		why, wrong string
		names      []string
		want       []string // nil = nothing at all; the first must be first
	}{
		{"a letter left out", "revenu", shop, []string{"revenue"}},
		{"a letter too many", "costs", shop, []string{"cost"}},
		{"two letters swapped", "reigon", shop, []string{"region"}},
		{"case", "Revenue", shop, []string{"revenue"}},
		{"separators", "unit_price", shop, []string{"Unit Price"}},
		{"camel case", "orderDate", shop, []string{"order_date"}},
		{"unit left off", "body_mass", penguins, []string{"body_mass_g"}},
		{"several share a beginning", "bill", penguins, []string{"bill_depth_mm", "bill_length_mm"}},
		{"a word inside", "flipper", penguins, []string{"flipper_length_mm"}},
		{"a piece from the middle", "length_mm", penguins, []string{"bill_length_mm", "flipper_length_mm"}},
		{"words in another order", "mass_body_g", penguins, []string{"body_mass_g"}},
		{"one Chinese character differs", "利闰", orders, []string{"利润"}},
		{"a Chinese character left out", "销售", orders, []string{"销售额"}},
		{"part of a Chinese word", "日期", orders, []string{"订单日期"}},
		{"a Chinese character too many", "产品名", orders, []string{"产品"}},
		{"another word", "temperature", shop, nil},
		{"another Chinese word", "客户", orders, nil},
		{"a short word is not near another", "sex", []string{"six_month", "tax", "set"}, []string{"set"}},
		{"one letter says nothing", "x", shop, nil},
		{"nothing was asked", "", shop, nil},
	} {
		got := closest(c.wrong, c.names)
		if len(c.want) == 0 && len(got) > 0 {
			t.Errorf("%s: %q gave %v, want nothing", c.why, c.wrong, got)
			continue
		}
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: %q gave %v, want %s in it", c.why, c.wrong, got, w)
			}
		}
		if len(c.want) == 1 && got[0] != c.want[0] {
			t.Errorf("%s: %q gave %v first, want %s", c.why, c.wrong, got, c.want[0])
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b        string
		limit, want int
	}{
		{"", "", 3, 0},
		{"abc", "abc", 3, 0},
		{"abc", "acb", 3, 1},
		{"abc", "abd", 3, 1},
		{"abc", "ab", 3, 1},
		{"kitten", "sitting", 3, 3},
		{"kitten", "sitting", 2, 3},
		{"abc", "xyzabc", 2, 3},
		{"利润", "利闰", 1, 1},
	} {
		if got := distance([]rune(c.a), []rune(c.b), c.limit); got != c.want {
			t.Errorf("distance(%q, %q, %d) = %d, want %d", c.a, c.b, c.limit, got, c.want)
		}
	}
}

func FuzzClosest(f *testing.F) {
	f.Add("revenu", "revenue\ncost")
	f.Add("利闰", "利润\n成本")
	f.Add("\xff", "\xff\xfe\n")
	f.Fuzz(func(t *testing.T, wrong, names string) {
		candidates := strings.Split(names, "\n")
		got := closest(wrong, candidates)
		if len(got) > maxSuggestions {
			t.Fatalf("%d suggestions", len(got))
		}
		for _, g := range got {
			if g == wrong || !slices.Contains(candidates, g) {
				t.Fatalf("suggested %q for %q", g, wrong)
			}
		}
	})
}

// A table as wide as they come does not make a suggestion slow.
func BenchmarkClosest2000(b *testing.B) {
	var names []string
	for i := range maxCandidates {
		names = append(names, "measurement_of_channel_"+grouped(int64(i)))
	}
	for b.Loop() {
		closest("measurment_of_chanel_77", names)
	}
}
