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

// Checker reads code, without its byte order mark, before it runs: what a chain of
// rules objects to, and whether it may not run for that. An error is ours, and
// nothing runs.
type Checker func(
	ctx context.Context, req cellwall.Request, env cellwall.Environment, source string,
) (findings []cellwall.Finding, refused bool, err error)

// check refuses code that cannot be what its author meant: text that is too
// long, no UTF-8, cut by a NUL byte, or told to Python in another encoding
// than every reader of it sees; then what Options.Check refuses. It reports
// whether the code may run; the findings are in the Result.
func (x *execution) check(ctx context.Context) (may bool, err error) {
	source, findings := checkSource(x.req.Code)
	x.source = source
	refused := len(findings) > 0 || x.stop != nil
	if !refused && x.c.opts.Check != nil && source != "" && !x.req.Own {
		if findings, refused, err = x.policy(ctx); err != nil {
			return false, err
		}
	}
	x.result.Findings = append(x.result.Findings, findings...)
	if refused {
		x.result.Status, x.result.Cause = cellwall.StatusRefused, cellwall.CausePolicy
		x.result.Boundary = x.unused()
	}
	return !refused, nil
}

// policy asks the chain.
func (x *execution) policy(ctx context.Context) ([]cellwall.Finding, bool, error) {
	env, err := x.environment()
	if err != nil {
		return nil, false, err
	}
	findings, refused, err := x.c.opts.Check(ctx, x.req, env, x.source)
	if err != nil {
		x.result.Boundary = x.unused()
		return nil, false, fmt.Errorf("check code: %w", err)
	}
	return findings, refused, nil
}

// unused is the boundary of what did not run.
func (x *execution) unused() cellwall.Boundary {
	if x.opened != nil {
		return x.opened.boundary
	}
	return cellwall.Boundary{
		Backend: x.req.Backend, Environment: x.req.Environment, Network: "none", Degraded: []string{},
	}
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
