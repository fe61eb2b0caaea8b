package api

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

func (s *Server) registerArtifacts() {
	raw(s, "getArtifact", s.getArtifact, func(op *huma.Operation) {
		s.documentArtifact(op)
		responds(op, http.StatusAccepted, "A person has to approve it first, and has been asked", "application/json", schemaOf[approvalView](s))
	})
	handle(s, "linkArtifact", s.linkArtifact)
	raw(s, "openLink", s.openLink, func(op *huma.Operation) {
		s.documentArtifact(op)
		for _, name := range []string{"tenant", "expires", "signature"} {
			op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: "query", Required: true, Schema: &huma.Schema{Type: "string"}})
		}
	})
}

func (s *Server) documentArtifact(op *huma.Operation) {
	pathID(op, cellwall.PrefixArtifact)
	documentETag(op)
	responds(op, http.StatusOK, "The file, with the media type that its content has, to be saved and not shown", "*/*", binary())
	responds(op, http.StatusPartialContent, "A range of it", "*/*", binary())
}

func (s *Server) getArtifact(w http.ResponseWriter, r *http.Request) error {
	if s.opts.Artifacts == nil {
		return notThere("artifact")
	}
	a, err := s.opts.Artifacts.Artifact(r.Context(), callerOf(r.Context()).Tenant, r.PathValue("id"))
	if err != nil {
		return err
	}
	waits, err := s.release(r.Context(), a)
	if err != nil {
		return err
	}
	if waits != nil {
		w.Header().Set("Location", "/v1/approvals/"+waits.ID)
		return writeJSON(w, http.StatusAccepted, viewApproval(r.Context(), *waits))
	}
	return s.sendArtifact(w, r, a)
}

func (s *Server) sendArtifact(w http.ResponseWriter, r *http.Request, a cellwall.KeptArtifact) error {
	content, err := s.opts.Artifacts.Open(r.Context(), a)
	if err != nil {
		return err
	}
	defer content.Close()
	serveFile(w, r, file{name: lastPart(a.Name), media: a.MediaType, sha256: a.SHA256, at: a.At, content: content})
	return nil
}

// file is something to be saved by whoever asked for it.
type file struct {
	name, media, sha256 string
	at                  time.Time
	content             io.ReadSeeker
}

// serveFile sends a file with ranges and conditions. A browser saves it, and runs
// nothing of it even where somebody makes it show it.
func serveFile(w http.ResponseWriter, r *http.Request, f file) {
	h := w.Header()
	h.Set("Content-Type", f.media)
	h.Set("Content-Disposition", disposition(safeName(f.name)))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Etag", `"`+f.sha256+`"`)
	uncompressed(w)
	http.ServeContent(&rangeless{ResponseWriter: w, r: r}, r, "", f.at, f.content)
}

// rangeless puts a range that is not there into a problem document.
type rangeless struct {
	http.ResponseWriter
	r       *http.Request
	refused bool
}

func (w *rangeless) WriteHeader(status int) {
	if status != http.StatusRequestedRangeNotSatisfiable {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.refused = true
	p := ProblemOf(&cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: "read Range", Err: errors.New("the file has no such bytes"), Hint: "leave it away",
	}, callID(w.r.Context()))
	p.Status = status
	p.write(w.ResponseWriter)
}

func (w *rangeless) Write(p []byte) (int, error) {
	if w.refused { // the words of net/http
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}
