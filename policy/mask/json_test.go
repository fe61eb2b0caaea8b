package mask_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestM15_JSONStaysJSON(t *testing.T) {
	for raw, want := range map[string]string{
		`{"phone": 13800003380, "n": 3}`:                       `{"phone": "*****3380", "n": 3}`,
		`[13800003380.0, -13800003380, 0.13800003380, 1e5]`:    `["*****3380.0", -13800003380, 0.13800003380, 1e5]`,
		`{"13800003380": "\u7535\u8bdd13800003380\n"}`:         `{"*******3380": "电话*******3380\n"}`,
		`["zhang.wei\u0040example.com", "<b>", "\u0041"]`:      `["z********@example.com", "<b>", "\u0041"]`,
		`{"nested": ["a", {"b": "622202 0000258435668"}]}`:     `{"nested": ["a", {"b": "****** *********5668"}]}`,
		`[6222020000258435668, 440106190002068451, 123456789]`: `["*************5668", "************8451", 123456789]`,
	} {
		if got := string(newMasker(nil).Begin().JSON([]byte(raw), true)); got != want {
			t.Errorf("%s became %s, not %s", raw, got, want)
		}
	}
	if got := string(newMasker(nil).Begin().JSON([]byte(`{"bytes": 13800003380}`), false)); got != `{"bytes": 13800003380}` {
		t.Errorf("a number that is asked for was masked: %s", got)
	}
}

func TestM15_AnyJSONStaysJSON(t *testing.T) {
	m := newMasker(own)
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(map[string]any{mixed(t): []any{mixed(t), rapid.Int64().Draw(t, "n"), rapid.Float64Range(-1e9, 1e9).Draw(t, "x"), 13800003380}})
		if err != nil {
			t.Fatal(err)
		}
		for _, numbers := range []bool{false, true} {
			if got := m.Begin().JSON(raw, numbers); !json.Valid(got) {
				t.Fatalf("%s became %s", raw, got)
			}
		}
	})
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"a": [1, "13800003380", 13800003380, "\u005c"]}`))
	m := newMasker(own)
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := m.Begin().JSON(raw, true)
		if json.Valid(raw) && !json.Valid(got) {
			t.Fatalf("%q became %q", raw, got)
		}
	})
}
