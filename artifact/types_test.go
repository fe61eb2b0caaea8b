package artifact

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files in testdata were written by pandas 3.1, openpyxl and matplotlib
// 3.11, as programs in the sandbox write them.
func TestM14_TypesAreDecidedByContent(t *testing.T) {
	for file, want := range map[string]string{
		"chart.png": "image image/png", "chart.jpg": "image image/jpeg", "chart.webp": "image image/webp", "chart.svg": "image image/svg+xml",
		"chart.pdf": "document application/pdf", "table.html": "document text/html",
		"book.xlsx":       "table application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		"stores.xlsx":     "table application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		"sensors.parquet": "table application/vnd.apache.parquet",
		"frame.pkl":       "", "array.npy": "", "d.sqlite": "",
	} {
		content, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{file, "no extension", "lie.csv", "lie.png"} { // the name does not matter
			h := collect(t, evil{name: text(string(content))}, Limits{})
			got := ""
			if len(h.Artifacts) == 1 {
				got = h.Artifacts[0].Type + " " + h.Artifacts[0].MediaType
			}
			if got != want {
				t.Errorf("%s as %s: %q, want %q; skipped %v", file, name, got, want, h.Skipped)
			}
		}
	}
}

func TestM14_KindsOfText(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"a.csv", "a,b\n1,2\n", "table text/csv"},
		{"a.csv", "a;b\n1;2\n", "table text/csv"},
		{"a.csv", "数\n1\n", "table text/csv"},
		{"a.csv", "\xb6\xa9\xb5\xa5\n1\n", "table text/csv"}, // GB18030
		{"a.csv", "\xff\xfea\x00,\x00b\x00\n\x00", "table text/csv"},
		{"a.tsv", "a\tb\n1\t2\n", "table text/tab-separated-values"},
		{"a.txt", "a,b\n1,2\n", "text text/plain"},
		{"a.log", "x", "text text/plain"},
		{"a", "words", "text text/plain"},
		{"a.md", "# title", "document text/markdown"},
		{"a.json", `{"a":1}`, "data application/json"},
		{"a.json", `[` + strings.Repeat(`{"a":1},`, 600) + `{"a":1}]`, "data application/json"},
		{"a.jsonl", "{\"a\":1}\n{\"a\":2}\n", "data application/x-ndjson"},
		{"a.html", "<p>x", "document text/html"},
		{"a.csv", "<html><script>alert(1)</script></html>", "document text/html"},
		{"a.txt", "<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", "image image/svg+xml"},
		{"a.py", "import os\n", "text text/plain"},
		{"empty.txt", "", "text text/plain"},
		{"empty.csv", "", "table text/csv"},
		{"a.png", "no picture", "text text/plain"},
		{"a.zip", "PK\x03\x04\x14\x00\x00\x00\x00\x00", ""},
		{"a.gz", "\x1f\x8b\x08\x00", ""},
		{"a.exe", "MZ\x90\x00", ""},
		{"a.so", "\x7fELF\x02\x01\x01", ""},
		{"a.joblib", "\x80\x04\x95", ""},
		{"a.ps", "%!PS-Adobe-3.0 EPSF-3.0\n", ""},
		{"a.bin", "\x00\x01\x02\x03", ""},
	} {
		h := collect(t, evil{c.name: text(c.content)}, Limits{})
		got := ""
		if len(h.Artifacts) == 1 {
			got = h.Artifacts[0].Type + " " + h.Artifacts[0].MediaType
		}
		if got != c.want {
			t.Errorf("%s %.20q: %q, want %q; skipped %v", c.name, c.content, got, c.want, h.Skipped)
		}
	}
	h := collect(t, evil{"a.gz": text("\x1f\x8b\x08\x00")}, Limits{Archives: true})
	if len(h.Artifacts) != 1 || h.Artifacts[0].Type != "archive" {
		t.Errorf("archives allowed: %+v", h)
	}
}

func TestM14_ATableBeyondTheRowCapIsRefused(t *testing.T) {
	line := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, c := range []struct {
		why, name string
		make      func(rows int) string
	}{
		{"csv", "a.csv", func(n int) string { return "a,b\n" + line("%d,2\n", n) }},
		{"csv without a last line break", "a.csv", func(n int) string { return strings.TrimSuffix("a,b\n"+line("%d,2\n", n), "\n") }},
		{"csv of Windows", "a.csv", func(n int) string { return "a,b\r\n" + line("%d,2\r\n", n) }},
		{"csv with a stray quote", "a.csv", func(n int) string { return "a,b\n" + line("%d,2\n", n-1) + `x,"` }},
		{"csv under another name", "a.txt", func(n int) string { return "a,b\n" + line("%d,2\n", n) }},
		{"csv without a name that says so", "table", func(n int) string { return "a,b\n" + line("%d,2\n", n) }},
		{"tsv", "a.tsv", func(n int) string { return "a\tb\n" + line("%d\t2\n", n) }},
		{"jsonl", "a.jsonl", func(n int) string { return line("{\"a\":%d}\n", n) }},
		{"json records", "a.json", func(n int) string { return `[` + strings.TrimSuffix(line(`{"a":%d,"b":"x,y"},`, n), ",") + `]` }},
		{"json by columns", "a.json", func(n int) string { return `{"a":{` + strings.TrimSuffix(line(`"%d":1,`, n), ",") + `}}` }},
		{"json split", "a.json", func(n int) string {
			return `{"columns":["a"],"data":[` + strings.TrimSuffix(line(`[%d],`, n), ",") + `]}`
		}},
		{"html", "a.html", func(n int) string { return "<html><TABLE><TR><th>" + line("<tr><td>%d", n) }},
	} {
		for rows, want := range map[int]bool{20: true, 21: false} {
			h := collect(t, evil{c.name: text(c.make(rows))}, Limits{Rows: 20})
			if taken := len(h.Artifacts) == 1; taken != want {
				t.Errorf("%s of %d rows: taken %v; skipped %v", c.why, rows, taken, h.Skipped)
			}
			if !want && len(h.Skipped) == 1 && !strings.Contains(h.Skipped[0].Reason, "more than 20 rows") {
				t.Errorf("%s: reason %q", c.why, h.Skipped[0].Reason)
			}
		}
		if h := collect(t, evil{c.name: text(c.make(21))}, Limits{Rows: -1}); len(h.Artifacts) != 1 {
			t.Errorf("%s: not taken although any number is allowed: %v", c.why, h.Skipped)
		}
	}
	quoted := "a,b\n" + line("%d,\"two\nlines\"\n", 15)
	if h := collect(t, evil{"a.csv": text(quoted)}, Limits{Rows: 20}); len(h.Artifacts) != 1 {
		t.Errorf("line breaks inside fields were counted: %v", h.Skipped)
	}
}

func TestO120_WhatABrowserMayRunIsNamed(t *testing.T) {
	for media, want := range map[string]bool{"text/html": true, "image/svg+xml": true, "application/pdf": true, "text/csv": false, "image/png": false} {
		if Active(media) != want {
			t.Errorf("%s: %v", media, !want)
		}
	}
}
