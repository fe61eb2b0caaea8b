package mcp

import (
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cellwall/cellwall/tools"
)

// offer lists what is offered now. The server holds every tool, so that a call of one
// that is not offered is answered by the router; putting one in again is how the SDK
// is told that the list has changed, which it passes on once for all that changes
// together.
func (s *Session) offer() {
	offers := s.opts.Toolbox.Offers()
	s.mu.Lock()
	defer s.mu.Unlock()
	var listed []string
	for _, t := range s.opts.Toolbox.Tools() {
		if s.opts.Every || slices.ContainsFunc(offers, func(o tools.Offer) bool { return o.Tool == t.Name && o.Offered }) {
			listed = append(listed, t.Name)
		}
	}
	if s.filled && slices.Equal(listed, s.listed) {
		return
	}
	s.listed, s.filled = listed, true
	for _, t := range s.opts.Toolbox.Tools() {
		s.server.AddTool(s.described(t), s.call)
	}
}

// offered leaves in an answer to tools/list what is offered.
func (s *Session) offered(r *sdk.ListToolsResult) *sdk.ListToolsResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := *r
	left.Tools = slices.DeleteFunc(slices.Clone(r.Tools), func(t *sdk.Tool) bool {
		return s.knows(t.Name) && !slices.Contains(s.listed, t.Name)
	})
	return &left
}

// described is a tool as a client reads it. Whatever it does it does inside the wall,
// so that nothing of it destroys anything.
func (s *Session) described(t tools.Tool) *sdk.Tool {
	no, yes := false, true
	hints := &sdk.ToolAnnotations{
		Title: s.opts.Language.Text(titles[t.Name]), ReadOnlyHint: t.ReadOnly, IdempotentHint: t.ReadOnly, DestructiveHint: &no, OpenWorldHint: &no,
	}
	if !slices.Contains(tools.Names(), t.Name) {
		hints.OpenWorldHint = &yes // it reaches for something that is not a dataset
	}
	return &sdk.Tool{
		Name: t.Name, Title: hints.Title, Description: t.Description, InputSchema: t.Schema, OutputSchema: outputSchema, Annotations: hints,
	}
}

// outputSchema is what every observation holds to.
var outputSchema = map[string]any{
	"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": []string{"ok"},
	"properties": map[string]any{"ok": map[string]any{"type": "boolean", "description": "Whether the call did what it was to do"}},
}

// knows is whether there is such a tool, offered or not.
func (s *Session) knows(tool string) bool {
	return slices.ContainsFunc(s.opts.Toolbox.Tools(), func(t tools.Tool) bool { return t.Name == tool })
}

var titles = map[string]tools.Phrase{
	tools.InspectData: {En: "Inspect data", Zh: "查看数据"},
	tools.QueryData:   {En: "Query data with SQL", Zh: "SQL 查询"},
	tools.MakeChart:   {En: "Make a chart", Zh: "绘制图表"},
	tools.FetchData:   {En: "Fetch data", Zh: "获取数据"},
	tools.RunPython:   {En: "Run Python", Zh: "运行 Python"},
}
