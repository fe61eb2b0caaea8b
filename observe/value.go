package observe

import (
	"strings"
	"unicode"
)

// valueMarks are what stands before and behind the value, in the messages of
// exceptions that name one. What else they quote is a type, a format or advice.
var valueMarks = []struct{ from, to string }{
	{`time data "`, `"`},
	{"time data '", "'"},
	{"unable to parse: ", ", at position"},
	{`Unable to parse string "`, `"`},
	{"Unable to parse string '", "'"},
	{"unconverted data remains: ", ""},
	{"month must be in 1..12: ", ""},
	{"is out of range: ", ""},
	{"Out of bounds nanosecond timestamp: ", ", at position"},
	{`Given date string "`, `"`},
}

// quoteMarks are the beginnings of messages that end with the value, in the quotation
// marks that suit it.
var quoteMarks = []string{"could not convert string to", "invalid literal for int", "Invalid isoformat"}

// failingValue is the text that could not be read as a date or number, "" when the
// message names none.
func failingValue(f fault) string {
	for _, m := range valueMarks {
		if v, ok := between(f.message, m.from, m.to); ok {
			return strings.TrimSpace(v)
		}
	}
	for _, m := range quoteMarks {
		if strings.HasPrefix(f.message, m) {
			return lastQuoted(f.message)
		}
	}
	return ""
}

// separated reports whether a value is a number in a person's writing.
func separated(value string) bool {
	return strings.ContainsFunc(value, unicode.IsDigit) && strings.ContainsAny(value, ",，%％$€£¥￥円元 '’()万亿")
}
