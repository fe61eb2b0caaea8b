package main

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/mcp"
	"github.com/cellwall/cellwall/tools"
)

// servedMCP is /mcp: a toolbox of the service for each client.
type servedMCP struct {
	*mcp.HTTP
	boxes       *toolboxes
	artifacts   api.Artifacts
	released    func(ctx context.Context, tenant, artifact string) error
	open        func() error // whether work may begin now
	environment string
}

type callerKey struct{}

// addMCP gives the API /mcp.
func (s *service) addMCP(o *api.Options) {
	served := &servedMCP{boxes: s.tools, artifacts: o.Artifacts, released: s.released, open: s.gate.Open, environment: s.settings.Environment}
	each := max(10, s.settings.MCPSessions/10)
	served.HTTP = mcp.NewHTTP(mcp.HTTPOptions{
		Begin: served.begin, Sessions: s.settings.MCPSessions, PerTenant: each,
		Idle: s.settings.SessionIdle, Hosts: s.settings.MCPHosts, Logger: s.log,
	})
	s.undo.Add(func() error { served.Close(); return nil })
	s.closeMCP = served.Close
	o.MCP, o.MCPStreams = served, each
}

// Serve implements api.MCP.
func (m *servedMCP) Serve(w http.ResponseWriter, r *http.Request, who cellwall.Identity) error {
	r = r.WithContext(context.WithValue(r.Context(), callerKey{}, who))
	return m.HTTP.Serve(w, r, mcp.Caller{Tenant: who.Tenant, Owner: who.Tenant + "\n" + who.Key + "\n" + who.Subject})
}

// begin makes what a client works with: the session that its URL names, or one for
// the datasets there.
func (m *servedMCP) begin(ctx context.Context, _ mcp.Caller, r *http.Request) (mcp.Options, func(), error) {
	who, _ := ctx.Value(callerKey{}).(cellwall.Identity)
	q := r.URL.Query()
	for name, values := range q {
		if name != "session" && name != "dataset" && name != "tools" || name != "dataset" && len(values) > 1 {
			return mcp.Options{}, nil, badQuery(name)
		}
	}
	every := q.Get("tools") == "all"
	if t := q.Get("tools"); t != "" && t != "offered" && !every {
		return mcp.Options{}, nil, badQuery("tools")
	}
	terms := m.boxes.kept.terms(who.Tenant)
	lang := tools.Language(cmp.Or(terms.Language, string(tools.English)))
	if strings.HasPrefix(r.Header.Get("Accept-Language"), "zh") {
		lang = tools.Chinese
	}
	id, own := q.Get("session"), false
	switch {
	case id != "" && q.Has("dataset"):
		return mcp.Options{}, nil, badQuery("dataset")
	case id == "":
		var err error
		if id, err = m.boxes.Begin(ctx, who, toolPlan{Datasets: q["dataset"], Environment: m.environment, Language: string(lang)}); err != nil {
			return mcp.Options{}, nil, err
		}
		own = true
	}
	end := func() {
		if own {
			_ = m.boxes.End(context.WithoutCancel(ctx), who, id) // housekeeping finds what stays
		}
	}
	box := &servedBox{all: m, who: who, id: id, lang: lang}
	if err := box.look(ctx); err != nil {
		end()
		return mcp.Options{}, nil, err
	}
	return mcp.Options{Toolbox: box, Language: lang, Every: every, NoPictures: terms.Mask, Version: thisBuild().Version}, end, nil
}

func badQuery(name string) error {
	return &cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: "read query", Err: errors.New(shortLine(name, 40) + " is unknown, repeated or does not go with the rest"),
		Hint: "/mcp takes session=sess_…, or dataset=ds_… once for each; and tools=all",
	}
}
