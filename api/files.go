package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

func (s *Server) registerFiles() {
	handle(s, "listFiles", s.listFiles)
	named := func(op *huma.Operation) {
		pathID(op, cellwall.PrefixSession)
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "name", In: "path", Required: true, Schema: &huma.Schema{Type: "string"}, Description: "Below /workspace/output; may hold /",
		})
	}
	raw(s, "uploadFile", s.uploadFile, func(op *huma.Operation) {
		pathID(op, cellwall.PrefixSession)
		takes(op, "multipart/form-data", &huma.Schema{
			Type: "object", Required: []string{"file"}, AdditionalProperties: false, Properties: map[string]*huma.Schema{"file": binary()},
		})
		responds(op, http.StatusCreated, "It is there", "application/json", schemaOf[fileView](s))
	})
	raw(s, "getFile", s.getFile, func(op *huma.Operation) {
		named(op)
		responds(op, http.StatusOK, "The file, byte for byte", "application/octet-stream", binary())
	})
	raw(s, "putFile", s.putFile, func(op *huma.Operation) {
		named(op)
		takes(op, "application/octet-stream", binary())
		responds(op, http.StatusCreated, "It is there", "application/json", schemaOf[fileView](s))
	})
	raw(s, "deleteFile", s.deleteFile, func(op *huma.Operation) {
		named(op)
		responds(op, http.StatusNoContent, "It is gone", "", nil)
	})
}

// fileView is a file of a session.
type fileView struct {
	Name     string     `json:"name" doc:"Below /workspace/output"`
	Bytes    int64      `json:"bytes"`
	Modified *time.Time `json:"modified,omitempty"`
	Kind     string     `json:"kind" enum:"file,folder,other"`
}

type filesOut struct {
	Body struct {
		Items []fileView `json:"items"`
		More  bool       `json:"more" doc:"There are more than can be listed"`
	}
}

func (s *Server) listFiles(ctx context.Context, in *SessionPath) (*filesOut, error) {
	one, err := s.session(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	files, more, err := one.Files(ctx)
	if err != nil {
		return nil, err
	}
	out := &filesOut{}
	out.Body.Items, out.Body.More = make([]fileView, 0, len(files)), more
	for _, f := range files {
		v := fileView{Name: strings.ToValidUTF8(f.Name, "\uFFFD"), Bytes: f.Bytes, Kind: "other"}
		at := f.Modified.UTC()
		v.Modified = &at
		switch {
		case f.Folder:
			v.Kind = "folder"
		case f.Plain:
			v.Kind = "file"
		}
		out.Body.Items = append(out.Body.Items, v)
	}
	return out, nil
}

// getFile gives a file of a session: never to be opened where the service is.
func (s *Server) getFile(w http.ResponseWriter, r *http.Request) error {
	one, err := s.session(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	name, err := fileName(r.PathValue("name"))
	if err != nil {
		return err
	}
	terms, err := s.terms(r.Context())
	if err == nil && terms.Approval.Artifacts {
		err = errWithheld
	}
	if err != nil {
		return err
	}
	f, err := one.Open(r.Context(), name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &cellwall.Error{Code: cellwall.CodeConflict, Op: "open file", Err: errors.New("it is no file")}
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", disposition(safeName(path.Base(name))))
	w.WriteHeader(http.StatusOK)
	_, err = io.Copy(w, io.LimitReader(f, info.Size())) // it may grow meanwhile
	return ignoreGone(err)
}

// uploadFile puts the file of a form below /workspace/output.
func (s *Server) uploadFile(w http.ResponseWriter, r *http.Request) error {
	one, err := s.session(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	name, content, err := s.uploaded(r)
	if err != nil {
		return err
	}
	return s.put(w, r, one, safeName(name), content, content.end)
}

// putFile makes a body the content of a file.
func (s *Server) putFile(w http.ResponseWriter, r *http.Request) error {
	one, err := s.session(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	name, err := fileName(r.PathValue("name"))
	if err != nil {
		return err
	}
	return s.put(w, r, one, name, r.Body, func() error { return nil })
}

// put spools a file, since the session must not wait for a slow client, and
// writes it then.
func (s *Server) put(w http.ResponseWriter, r *http.Request, one Session, name string, content io.Reader, end func() error) error {
	f, err := nameless(s.opts.Spool)
	if err != nil {
		return err
	}
	defer f.Close()
	who := callerOf(r.Context())
	staging, most := s.stage(who, false), s.inputBytes(who)
	defer staging.close()
	n, err := io.Copy(f, io.LimitReader(staging.of(content), most+1))
	switch {
	case err != nil:
		return formError(err)
	case n > most:
		return tooLong(most)
	}
	if err := end(); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := one.Put(r.Context(), name, f, n); err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, fileView{Name: name, Bytes: n, Kind: "file"})
}

func (s *Server) deleteFile(w http.ResponseWriter, r *http.Request) error {
	one, err := s.session(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	name, err := fileName(r.PathValue("name"))
	if err == nil {
		err = one.Remove(r.Context(), name)
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// fileName refuses a name that leads anywhere but below a directory.
func fileName(name string) (string, error) {
	const maxPath = 1024
	ok := name != "" && len(name) <= maxPath && !strings.ContainsAny(name, "\\\x00") && path.Clean("/"+name) == "/"+name
	for part := range strings.SplitSeq(name, "/") {
		ok = ok && len(part) <= maxName
	}
	if !ok {
		return "", &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "read file name", Err: os.ErrInvalid,
			Hint: "give a name below /workspace/output, without .., at most 200 bytes for each part",
		}
	}
	return name, nil
}
