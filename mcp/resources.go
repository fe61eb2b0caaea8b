package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/tools"
)

// The resources of a session.
const (
	tablesURI   = "cellwall://tables"
	artifactURI = "cellwall://artifacts/"
)

const (
	mostListed   = 200     // artifacts in resources/list; older ones can be read all the same
	mostResource = 8 << 20 // bytes of an artifact that is read here
	mostReads    = 16      // at once, of all clients
)

func (s *Session) addResources() {
	l := s.opts.Language
	s.server.AddResource(&sdk.Resource{
		URI: tablesURI, Name: "tables", Title: l.Text(tablesTitle), Description: l.Text(tablesAbout), MIMEType: "application/json",
	}, s.readTables)
	s.server.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: artifactURI + "{id}", Name: "artifact", Title: l.Text(artifactTitle), Description: l.Text(artifactAbout),
	}, s.readArtifact)
}

// readTables is inspect_data for a client that attaches it without its model.
func (s *Session) readTables(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	r, err := s.call(ctx, &sdk.CallToolRequest{Session: req.Session, Params: &sdk.CallToolParamsRaw{Name: tools.InspectData}})
	if err != nil {
		return nil, err
	}
	text := r.Content[0].(*sdk.TextContent).Text
	if r.IsError {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: text}
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: tablesURI, MIMEType: "application/json", Text: text}}}, nil
}

// readArtifact gives what a run left: as text where it is, else as bytes.
func (s *Session) readArtifact(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	uri := req.Params.URI
	leave, err := s.place()
	if err != nil {
		return nil, s.protocol(err)
	}
	defer leave()
	select {
	case s.opts.reads <- struct{}{}:
		defer func() { <-s.opts.reads }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	a, content, err := s.opts.Toolbox.Open(ctx, artifactID(uri))
	switch {
	case cellwall.CodeOf(err) == cellwall.CodeNotFound:
		return nil, sdk.ResourceNotFoundError(uri)
	case err != nil:
		s.opts.Logger.Error("open an artifact", "error", err)
		return nil, errors.New("the artifact cannot be read now")
	}
	content.Close()
	if a.Bytes > mostResource {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("it has %d bytes, more than the %d that are given here", a.Bytes, mostResource)}
	}
	data, err := s.read(ctx, a.ID, a.Bytes)
	if err != nil {
		s.opts.Logger.Error("read an artifact", "artifact", a.ID, "error", err)
		return nil, errors.New("the artifact cannot be read now")
	}
	c := &sdk.ResourceContents{URI: uri, MIMEType: a.MediaType}
	if textual(a.MediaType) && utf8.Valid(data) {
		c.Text = string(data)
	} else {
		c.Blob = data
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}, nil
}

// textual is whether clients read a type as text.
func textual(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	return strings.HasPrefix(media, "text/") || media == "application/json" || strings.HasSuffix(media, "+json")
}

// artifactID is the id in the URI of an artifact; "" when it is none.
func artifactID(uri string) string {
	id, ok := strings.CutPrefix(uri, artifactURI)
	if !ok || id == "" || len(id) > 64 || strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
		return ""
	}
	return id
}

// link is an artifact as a result names it; the server lists it from then on.
func (s *Session) link(a cellwall.Artifact) *sdk.ResourceLink {
	uri, size, name := artifactURI+a.ID, a.Bytes, shown(a.Name, mostName)
	about := shown(a.Type, mostName)
	if len(a.Flags) > 0 {
		about += " (" + shown(strings.Join(a.Flags, ", "), mostName) + ")"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.linked, uri) {
		s.server.AddResource(&sdk.Resource{URI: uri, Name: name, Description: about, MIMEType: a.MediaType, Size: size}, s.readArtifact)
		if s.linked = append(s.linked, uri); len(s.linked) > mostListed {
			s.server.RemoveResources(s.linked[0])
			s.linked = s.linked[1:]
		}
	}
	return &sdk.ResourceLink{URI: uri, Name: name, Description: about, MIMEType: a.MediaType, Size: &size}
}

var (
	tablesTitle   = tools.Phrase{En: "Tables", Zh: "数据表"}
	tablesAbout   = tools.Phrase{En: "What inspect_data tells: columns, types, missing values, examples, row counts", Zh: "与 inspect_data 相同：列名、类型、缺失值、示例和行数"}
	artifactTitle = tools.Phrase{En: "Artifact", Zh: "产物"}
	artifactAbout = tools.Phrase{En: "A chart, table or file that a tool left", Zh: "工具留下的图表、表格或文件"}
)
