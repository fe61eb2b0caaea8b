package api

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path"
	"strings"

	"github.com/cellwall/cellwall"
)

// executionInput is what a call brought: the body, and files that are open.
type executionInput struct {
	body   executionBody
	hash   []byte // names the request, for its idempotency key
	inputs []cellwall.Input
	open   []*os.File
	staged *staging // what of it came with the call
}

// close gives the files back. Those that came with the call have no name any
// more.
func (in *executionInput) close() {
	for _, f := range in.open {
		f.Close()
	}
	in.staged.close()
}

// take hands over what names the request, which may be as large as its body.
func (in *executionInput) take() []byte {
	hash := in.hash
	in.hash = nil
	return hash
}

// detach hands the open files over to whoever closes them later.
func (in *executionInput) detach() *executionInput {
	later := &executionInput{open: in.open, staged: in.staged}
	in.open, in.staged = nil, nil
	return later
}

// readExecution reads JSON, or a form of JSON and files.
func (s *Server) readExecution(r *http.Request) (*executionInput, error) {
	media, params, err := mediaType(r)
	if err != nil {
		return nil, err
	}
	switch media {
	case "application/json", "":
		body, err := s.readExecutionBody(r)
		if err != nil {
			return nil, err
		}
		parsed, err := decode[executionBody](s, body)
		return &executionInput{body: parsed, hash: body}, err
	case "multipart/form-data":
		in, whole := &executionInput{staged: s.stage(callerOf(r.Context()), false)}, false
		defer func() {
			if !whole {
				in.close()
			}
		}()
		err := s.readForm(r, params["boundary"], in)
		if whole = err == nil; !whole {
			return nil, err
		}
		return in, nil
	}
	return nil, unsupported("application/json", "multipart/form-data")
}

// readExecutionBody reads a body of JSON that says what to run.
func (s *Server) readExecutionBody(r *http.Request) ([]byte, error) {
	if media, _, err := mediaType(r); err != nil || media != "" && media != "application/json" {
		return nil, errors.Join(err, unsupported("application/json"))
	}
	body, err := s.readHeld(callOf(r.Context()), io.LimitReader(r.Body, jsonCap+1), min(max(r.ContentLength, 0), jsonCap))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > jsonCap {
		return nil, tooLong(jsonCap)
	}
	return body, nil
}

// readForm reads a form whose first part is the request; its files follow, in
// the order that they are handed over in.
func (s *Server) readForm(r *http.Request, boundary string, in *executionInput) error {
	if boundary == "" || len(boundary) > 70 {
		return badForm("its Content-Type names no boundary")
	}
	form, sum := multipart.NewReader(r.Body, boundary), sha256.New()
	left := s.inputBytes(callerOf(r.Context()))
	for n := 0; ; n++ {
		part, err := form.NextRawPart()
		if errors.Is(err, io.EOF) && n > 0 {
			in.hash = sum.Sum(nil)
			return nil
		}
		if err != nil {
			return formError(err)
		}
		switch name := part.FormName(); {
		case n == 0 && name == "request":
			err = s.readRequestPart(r, part, sum, in)
		case n > 0 && name == "file":
			left, err = s.readFilePart(part, sum, in, left)
		default:
			err = badForm("it must hold one part request, and then parts file")
		}
		if err != nil {
			return err
		}
	}
}

func (s *Server) readRequestPart(r *http.Request, part *multipart.Part, sum hash.Hash, in *executionInput) error {
	body, err := s.readHeld(callOf(r.Context()), io.LimitReader(part, jsonCap+1), 0)
	if err != nil {
		return formError(err)
	}
	if int64(len(body)) > jsonCap {
		return tooLong(jsonCap)
	}
	fmt.Fprintf(sum, "%d\n", len(body))
	sum.Write(body)
	in.body, err = decode[executionBody](s, body)
	return err
}

// readFilePart spools one file into a file without a name.
func (s *Server) readFilePart(part *multipart.Part, sum hash.Hash, in *executionInput, left int64) (int64, error) {
	if len(in.open) >= cellwall.MaxInputs {
		return 0, &cellwall.Error{Code: cellwall.CodeTooLarge, Op: "read form", Err: fmt.Errorf("it has more than %d files", cellwall.MaxInputs)}
	}
	f, err := nameless(s.opts.Spool)
	if err != nil {
		return 0, err
	}
	in.open = append(in.open, f)
	own := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, own), io.LimitReader(in.staged.of(part), left+1))
	if err != nil {
		return 0, formError(err)
	}
	if n > left {
		return 0, tooLong(left)
	}
	name := safeName(part.FileName())
	fmt.Fprintf(sum, "%q %s\n", name, hex.EncodeToString(own.Sum(nil)))
	in.inputs = append(in.inputs, inputOf(f, name, n))
	return left - n, nil
}

// nameless makes a file that is gone when it is closed, whatever happens.
func nameless(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "cellwall-request-")
	if err != nil {
		return nil, fmt.Errorf("spool request: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, fmt.Errorf("spool request: %w", err)
	}
	return f, nil
}

// differ makes the names of inputs differ, as the first of twins keeps its own.
func differ(inputs []cellwall.Input) error {
	taken := map[string]bool{}
	for i := range inputs {
		name := inputs[i].Name
		ending := path.Ext(name)
		stem := strings.TrimSuffix(name, ending)
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s_%d%s", stem, n, ending)
		}
		taken[name] = true
		inputs[i].Name = name
	}
	return nil
}

func badForm(why string) error {
	return &cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: "read form", Err: errors.New(why),
		Hint: "send multipart/form-data with the parts that /docs lists",
	}
}

// formError tells a body that could not be read, and our own failures, from a
// form that is none.
func formError(err error) error {
	var protocol textproto.ProtocolError
	switch {
	case cellwall.CodeOf(err) != cellwall.CodeInternal:
		return err
	case errors.As(err, &protocol), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF),
		errors.Is(err, multipart.ErrMessageTooLarge), strings.Contains(err.Error(), "multipart: "), strings.Contains(err.Error(), "malformed MIME"):
		return badForm("it is damaged or ends early")
	}
	return err
}
