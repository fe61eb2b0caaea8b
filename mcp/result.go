package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/visible"
)

// What of a run's artifacts stands in the answer itself; the rest is linked.
const (
	mostPictures     = 4
	mostPictureBytes = 1 << 20
	mostLinks        = 50
)

// inline are the pictures that models look at. SVG is a program, and is not one.
var inline = []string{"image/png", "image/jpeg", "image/webp", "image/gif"}

// result is what a client gets of an outcome. A program that has saved as many pictures
// as it shows most likely shows those: a model sees them once, and the figures are linked.
func (s *Session) result(ctx context.Context, o Outcome) *sdk.CallToolResult {
	r := answer(o.Text, o.OK)
	pictures, saved := 0, 0
	all := slices.Concat(o.Artifacts, o.Figures)
	for i, a := range all[:min(len(all), mostLinks)] {
		if i < len(o.Artifacts) && a.Type == "image" {
			saved++
		}
		again := i >= len(o.Artifacts) && saved >= len(o.Figures)
		if !again && !s.opts.NoPictures && pictures < mostPictures && slices.Contains(inline, a.MediaType) && a.Bytes <= mostPictureBytes {
			if data, err := s.read(ctx, a.ID, mostPictureBytes); err == nil {
				r.Content = append(r.Content, &sdk.ImageContent{Data: data, MIMEType: a.MediaType})
				pictures++
			} else {
				s.opts.Logger.Warn("read a picture", "artifact", a.ID, "error", err)
			}
		}
		r.Content = append(r.Content, s.link(a))
	}
	return r
}

// answer is an observation as text and as structure.
func answer(text string, ok bool) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, StructuredContent: json.RawMessage(text), IsError: !ok}
}

// fault is how a call is answered that ran nothing.
type fault struct {
	OK         bool               `json:"ok"`
	Error      cellwall.ErrorCode `json:"error"`
	Message    string             `json:"message"`
	Hint       string             `json:"hint,omitempty"`
	RetryAfter int                `json:"retry_after_s,omitempty"`
}

// failed puts an error of the toolbox into an answer: the model reads it, and may
// try again or tell the user. Of an internal one it learns only that it happened.
func (s *Session) failed(err error) *sdk.CallToolResult {
	f := fault{Error: cellwall.CodeOf(err), Message: err.Error(), Hint: cellwall.HintOf(err)}
	f.RetryAfter = int(math.Ceil(cellwall.RetryAfterOf(err).Seconds()))
	if f.Error == cellwall.CodeInternal {
		s.opts.Logger.Error("a tool failed", "error", err)
		f.Message, f.Hint = "the service failed", "tell the user; another try may do"
	}
	raw, err := json.Marshal(f)
	if err != nil {
		raw = []byte(`{"ok":false,"error":"internal"}`)
	}
	return answer(string(raw), false)
}

// protocol is the same for a request that is no call.
func (s *Session) protocol(err error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: s.failed(err).Content[0].(*sdk.TextContent).Text}
}

// read reads an artifact that is no longer than most.
func (s *Session) read(ctx context.Context, id string, most int64) ([]byte, error) {
	_, content, err := s.opts.Toolbox.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(content, most+1)); err != nil {
		return nil, err
	}
	if int64(b.Len()) > most {
		return nil, errors.New("it is longer than was said")
	}
	return b.Bytes(), nil
}

// printable leaves characters that show as what they are.
func printable(r rune) rune {
	if visible.Shows(r) && !visible.Acts(r) && r != unicode.ReplacementChar {
		return r
	}
	return '�'
}
