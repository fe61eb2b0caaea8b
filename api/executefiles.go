package api

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

// executedBeside runs the code where its input files lie beside it, in a session of
// one cell, and reads what it left.
func (s *Server) executedBeside(ctx context.Context, req cellwall.Request, body *execute) (r ran, err error) {
	if s.opts.Sessions == nil {
		return r, &cellwall.Error{Code: cellwall.CodeProtectionMissing, Op: "put input files", Err: errNoSessions}
	}
	code := req.Code
	req.Code, req.Prelude = "", true
	one, began, err := s.opts.Sessions.Create(ctx, req, SessionLife{Total: req.Limits.Timeout + time.Minute})
	if err != nil {
		return r, err
	}
	if one == nil {
		return ran{result: began}, nil
	}
	defer one.Close()
	if !began.OK && began.Status == cellwall.StatusRefused {
		return ran{result: began}, nil
	}
	most := req.Limits.WithDefaults().WorkspaceBytes
	for _, name := range slices.Sorted(maps.Keys(body.files)) {
		if err := one.Put(ctx, path.Clean(name), strings.NewReader(body.files[name]), most); err != nil {
			return r, err
		}
	}
	if !body.returns { // else they are compared with what the code leaves
		body.files = nil
		s.keep(callOf(ctx), int64(len(code)))
	}
	r.result, err = marked(ctx, func() (*cellwall.Result, error) {
		return one.Cell(ctx, SessionCell{
			Trace: req.Trace, Subject: req.Identity.Subject, Code: code, Language: req.Language, KeepFiles: true,
		}, nil)
	})
	if err != nil || !body.returns || r.result.Status == cellwall.StatusTimeout || r.result.Status == cellwall.StatusRefused {
		return r, err
	}
	files, err := left(ctx, one, body.files)
	r.files = &files
	return r, err
}

// maxReturned bounds what an answer holds of files, as text.
const maxReturned = 64 * cellwall.MiB

// left reads the files that the code left: those that were not put there, or were
// changed.
func left(ctx context.Context, one Session, put map[string]string) (map[string]string, error) {
	known := map[string]string{}
	for name, text := range put {
		known[path.Clean(name)] = text
	}
	list, _, err := one.Files(ctx)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	room := maxReturned
	for _, f := range list {
		if !f.Plain || !utf8.ValidString(f.Name) {
			continue
		}
		text, err := leftText(ctx, one, f.Name, room)
		if err != nil {
			return nil, err
		}
		if before, ok := known[f.Name]; !ok || before != text {
			found[f.Name] = text
			room -= int64(len(text))
		}
	}
	return byBase(found), nil
}

// leftText is the content of a file: text as it is, anything else as a data URL.
func leftText(ctx context.Context, one Session, name string, room int64) (string, error) {
	f, err := one.Open(ctx, name)
	if cellwall.CodeOf(err) == cellwall.CodeNotFound || cellwall.CodeOf(err) == cellwall.CodeConflict {
		return "", nil // it went away, or is no file any more
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, room+1))
	if err != nil {
		return "", fmt.Errorf("read output file: %w", err)
	}
	if int64(len(raw)) > room {
		return "", &cellwall.Error{
			Code: cellwall.CodeTooLarge, Op: "return output files", Err: errors.New("together they are too large for an answer"),
		}
	}
	if utf8.Valid(raw) && !strings.ContainsRune(string(raw), 0) {
		return string(raw), nil
	}
	media, _, _ := strings.Cut(http.DetectContentType(raw), ";")
	return "data:" + media + ";base64," + base64.StdEncoding.EncodeToString(raw), nil
}

// byBase names files by their last part; those that share one keep their paths.
func byBase(found map[string]string) map[string]string {
	count := map[string]int{}
	for name := range found {
		count[path.Base(name)]++
	}
	out := make(map[string]string, len(found))
	for name, text := range found {
		if base := path.Base(name); count[base] == 1 {
			name = base
		}
		out[name] = text
	}
	return out
}

// errorText is stderr with the traceback that an interpreter would have written
// there.
func errorText(r *cellwall.Result) string {
	text := r.Stderr.Text
	if r.Error == nil {
		if r.Status != cellwall.StatusOK && text == "" && !strings.HasPrefix(string(r.Cause), "exit:") {
			return fmt.Sprintf("ended as %s\n", r.Status)
		}
		return text
	}
	if r.Error.Type == systemExit {
		if _, number := exitNumber(r.Error.Message); number {
			return text
		}
		return text + r.Error.Message + "\n" // as an interpreter says what it was told
	}
	trace := strings.TrimRight(r.Error.Traceback, "\n")
	if trace == "" {
		trace = strings.TrimSuffix(r.Error.Type+": "+r.Error.Message, ": ")
	}
	if strings.Contains(text, trace) {
		return text
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + trace + "\n"
}

// systemExit is how code ends itself.
const systemExit = "SystemExit"

// exitNumber reads what SystemExit was told; nothing is 0.
func exitNumber(message string) (code int, number bool) {
	if message == "" || message == "None" {
		return 0, true
	}
	n, err := strconv.Atoi(message)
	return n & 0xff, err == nil
}

// signals are the numbers of those that end a process by its own fault.
var signals = map[string]int{
	"SIGHUP": 1, "SIGINT": 2, "SIGQUIT": 3, "SIGILL": 4, "SIGTRAP": 5, "SIGABRT": 6, "SIGBUS": 7, "SIGFPE": 8, "SIGKILL": 9,
	"SIGSEGV": 11, "SIGPIPE": 13, "SIGALRM": 14, "SIGTERM": 15, "SIGXCPU": 24, "SIGXFSZ": 25, "SIGSYS": 31,
}

// exitCode is what a shell would have seen.
func exitCode(r *cellwall.Result) int {
	cause := string(r.Cause)
	if r.Error != nil && r.Error.Type == systemExit {
		if n, number := exitNumber(r.Error.Message); number {
			return n
		}
		return 1
	}
	if code, ok := strings.CutPrefix(cause, "exit:"); ok {
		if n, err := strconv.Atoi(code); err == nil {
			return n
		}
	}
	if name, ok := strings.CutPrefix(cause, "signal:"); ok && signals[name] > 0 {
		return 128 + signals[name]
	}
	switch r.Status {
	case cellwall.StatusOK:
		return 0
	case cellwall.StatusMemoryLimit:
		return 137 // as a container that was killed for it
	}
	return 1
}
