package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/cellwall/cellwall"
)

// The exit statuses of the public surface.
const (
	exitOK          = 0
	exitNotOK       = 1
	exitUsage       = 2
	exitRefused     = 3
	exitInternal    = 4
	exitInterrupted = 130
)

// exitOf returns the status of an error.
func exitOf(err error) int {
	switch cellwall.CodeOf(err) {
	case cellwall.CodeBadRequest, cellwall.CodeNotFound, cellwall.CodeTooLarge:
		return exitUsage
	case cellwall.CodeDatasetUnreadable, cellwall.CodeSourceFailed:
		return exitNotOK
	case cellwall.CodeUnauthenticated, cellwall.CodeForbidden, cellwall.CodeRateLimited,
		cellwall.CodeBusy, cellwall.CodeLockedDown:
		return exitRefused
	}
	return exitInternal
}

// exitOfResult returns the status of a Result.
func exitOfResult(r *cellwall.Result, interrupted bool) int {
	switch {
	case interrupted:
		return exitInterrupted
	case r.OK:
		return exitOK
	case r.Status == cellwall.StatusRefused:
		return exitRefused
	case r.Status == cellwall.StatusInternalError:
		return exitInternal
	}
	return exitNotOK
}

// usage is a mistake of whoever typed the command.
func usage(op string, cause error, hint string) error {
	return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: op, Err: cause, Hint: hint}
}

// usageError turns the parser's complaint into ours, with the verb's help as
// the way forward.
func usageError(parsed *kong.Context, err error) error {
	var parse *kong.ParseError
	if errors.As(err, &parse) {
		parsed = parse.Context
	}
	help := "cellwall --help"
	if parsed != nil && parsed.Selected() != nil {
		help = "cellwall " + strings.TrimPrefix(parsed.Selected().Path(), "cellwall ") + " --help"
	}
	return usage("read command line", err, help)
}

// explain prints an error and its hint. Both may carry text of a stranger.
func (p *program) explain(err error) {
	p.stderr.say(red, "cellwall: error: ", err.Error())
	if hint := cellwall.HintOf(err); hint != "" {
		p.stderr.say(plain, "cellwall: hint: ", hint)
	}
}

// checkLimits validates limits as the command line gives them.
func checkLimits(l cellwall.Limits, verb string) error {
	if err := l.WithDefaults().Validate(); err != nil {
		hint := "ranges and defaults: cellwall " + verb + " --help"
		if n := l.MemoryBytes; 0 < n && n < 64*cellwall.KiB {
			hint = fmt.Sprintf("a number without a unit is bytes: write %dMiB; ", n) + hint
		}
		return &cellwall.Error{Code: cellwall.CodeOf(err), Err: err, Hint: hint}
	}
	return nil
}
