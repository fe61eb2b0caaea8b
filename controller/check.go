package controller

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

// The rules of check.
const (
	ruleSize     = "code_size"
	ruleNUL      = "nul_byte"
	ruleEncoding = "encoding"
	ruleCookie   = "coding_cookie"
)

const byteOrderMark = "\uFEFF"

// check refuses code that cannot be what its author meant: text that is too
// long, no UTF-8, cut by a NUL byte, or told to Python in another encoding
// than every reader of it sees. It reports whether the code may run; the
// findings of a refusal are in the Result, and nothing ran.
func (x *execution) check(ctx context.Context) (bool, error) {
	source, findings := checkSource(x.req.Code)
	x.source = source
	if more := x.c.opts.Check; more != nil && len(findings) == 0 && x.stop == nil && source != "" {
		var err error
		if findings, err = more(ctx, x.req); err != nil {
			return false, fmt.Errorf("check code: %w", err)
		}
	}
	if len(findings) == 0 && x.stop == nil {
		return true, nil
	}
	r := x.result
	r.Status, r.Cause = cellwall.StatusRefused, cellwall.CausePolicy
	r.Findings = append(r.Findings, findings...)
	if x.opened != nil {
		r.Boundary = x.opened.boundary
		return false, nil
	}
	r.Boundary = cellwall.Boundary{
		Backend: x.req.Backend, Environment: x.req.Environment, Network: "none", Degraded: []string{},
	}
	return false, nil
}

// Check returns what would refuse code before it runs, without running it.
func Check(code string) []cellwall.Finding {
	_, findings := checkSource(code)
	return findings
}

// checkSource returns code without its byte order mark, and what is wrong with
// it.
func checkSource(code string) (source string, findings []cellwall.Finding) {
	source = strings.TrimPrefix(code, byteOrderMark)
	find := func(rule string, offset int, format string, args ...any) {
		findings = append(findings, cellwall.Finding{
			Rule: rule, Line: lineAt(source, offset), Message: fmt.Sprintf(format, args...),
		})
	}
	// A character takes at most 4 bytes, so most code need not be counted.
	if len(source) > cellwall.MaxCodeBytes {
		if utf8.RuneCountInString(source) > cellwall.MaxCodeBytes {
			find(ruleSize, 0, "the code has more than %d characters; read data from a file instead of writing it into the code",
				cellwall.MaxCodeBytes)
			return source, findings
		}
	}
	if strings.HasPrefix(source, "\xff\xfe") || strings.HasPrefix(source, "\xfe\xff") {
		find(ruleEncoding, 0, "the code is UTF-16; save it as UTF-8")
		return source, findings
	}
	if at := strings.IndexByte(source, 0); at >= 0 {
		find(ruleNUL, at, "the code holds a NUL byte, where Python would stop reading")
	}
	if !utf8.ValidString(source) {
		at := invalidAt(source)
		find(ruleEncoding, at, "byte 0x%02x is not UTF-8; save the code as UTF-8", source[at])
	}
	if name, at := codingCookie(source); name != "" && !isUTF8(name) {
		find(ruleCookie, at, "the code declares the encoding %q; only UTF-8 is read", name)
	}
	return source, findings
}

// invalidAt returns the offset of the first byte that is not UTF-8.
func invalidAt(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		}
	}
	return 0
}

// lineAt returns the line of offset, counted from 1 as Python counts: a line
// ends with \n, \r\n or \r.
func lineAt(s string, offset int) int {
	before := s[:offset]
	return 1 + strings.Count(before, "\n") + strings.Count(before, "\r") - strings.Count(before, "\r\n")
}
