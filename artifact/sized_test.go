package artifact

import "testing"

func TestO116_ARefusalTellsSizesAsPeopleReadThem(t *testing.T) {
	for want, row := range map[string][2]int64{
		"11 bytes are more than the 10":             {11, 10},
		"114.4 MiB are more than the 32 MiB":        {120_000_000, 32 << 20},
		"33554433 bytes are more than the 33554432": {32<<20 + 1, 32 << 20},
		"2 KiB are more than the 1000":              {2048, 1000},
		"3 GiB are more than the 1.5 KiB":           {3 << 30, 1536},
	} {
		if got := over(row[0], row[1]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
