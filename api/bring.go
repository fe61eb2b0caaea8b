package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/cellwall/cellwall"
)

// bringBody says where a dataset is to come from: the web, or a connection.
type bringBody struct {
	Fetch      *fetchBody `json:"fetch,omitempty" doc:"A file of the web, from a host of the tenant's fetch_hosts"`
	Connection string     `json:"connection,omitempty" maxLength:"64" doc:"One of the tenant's connections, with a table, a query, a key or a prefix"`
	Table      string     `json:"table,omitempty" maxLength:"200" doc:"Of a database: every row of it, as name or schema.name"`
	Query      string     `json:"query,omitempty" maxLength:"20000" doc:"Of a database: one SELECT"`
	Key        string     `json:"key,omitempty" maxLength:"1024" doc:"Of a bucket: an object"`
	Prefix     string     `json:"prefix,omitempty" maxLength:"1024" doc:"Of a bucket: the objects below it, joined into one table"`
	Name       string     `json:"name,omitempty" maxLength:"1024" doc:"Of the dataset; left out: what it is called there"`
}

type fetchBody struct {
	URL string `json:"url" minLength:"1" maxLength:"2048" doc:"https://…"`
}

// check refuses a body that says nothing, or two things.
func (b *bringBody) check() error {
	said := 0
	for _, there := range []bool{b.Table != "", b.Query != "", b.Key != "", b.Prefix != ""} {
		if there {
			said++
		}
	}
	if b.Fetch != nil && b.Connection == "" && said == 0 || b.Fetch == nil && b.Connection != "" && said == 1 {
		return nil
	}
	return wrong(http.StatusUnprocessableEntity, &cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: "check request", Err: errors.New("it says nothing, or more than one thing"),
		Hint: "give fetch, or a connection with one of table, query, key and prefix",
	})
}

// bringDataset has a dataset brought from outside.
func (s *Server) bringDataset(w http.ResponseWriter, r *http.Request) error {
	raw, err := s.readExecutionBody(r)
	if err != nil {
		return err
	}
	body, err := decode[bringBody](s, raw)
	if err == nil {
		err = body.check()
	}
	if err != nil {
		return err
	}
	return s.once(w, r, raw, func(w http.ResponseWriter, r *http.Request) error {
		s.keep(callOf(r.Context()), 0)
		described, err := s.bring(r.Context(), &body, language(r))
		if err != nil {
			return err
		}
		w.Header().Set("Location", "/v1/datasets/"+described.ID)
		return writeJSON(w, http.StatusCreated, described)
	})
}

// bring makes the dataset. One that cannot be read, or recorded, is not kept.
func (s *Server) bring(ctx context.Context, body *bringBody, language string) (d cellwall.Dataset, err error) {
	who := callerOf(ctx)
	// Nobody can say whether what a service made that died was recorded: it is made anew.
	if before, there, err := s.madeBefore(ctx); err != nil {
		return d, err
	} else if there {
		s.forget(ctx, who.Tenant, before.ID)
	}
	brought, err := s.ask(ctx, who, body)
	if err != nil {
		return d, err
	}
	var made cellwall.KeptDataset
	defer func() {
		if err = errors.Join(err, brought.End(made, err)); err != nil && made.ID != "" {
			s.forget(ctx, who.Tenant, made.ID)
		}
	}()
	if body.Name != "" {
		brought.Name = body.Name
	}
	if brought.Program == "" {
		made, err = s.putDataset(ctx, safeName(brought.Name), brought.Content)
	} else {
		made, err = s.convert(ctx, who, brought, language)
	}
	if err != nil {
		return d, err
	}
	return s.describeIn(ctx, made, language)
}

// ask has the source bring it.
func (s *Server) ask(ctx context.Context, who cellwall.Identity, body *bringBody) (*Brought, error) {
	if body.Fetch != nil {
		return s.opts.Sources.Fetch(ctx, who, body.Fetch.URL, s.inputBytes(who))
	}
	return s.opts.Sources.Snapshot(ctx, who, SnapshotAsk{
		Connection: body.Connection, Table: body.Table, Query: body.Query, Key: body.Key, Prefix: body.Prefix,
	}, s.inputBytes(who))
}

// conversion is what a sandbox that makes a dataset of something may use, as far as
// the tenant's ceiling goes.
func conversion() cellwall.Limits {
	return cellwall.Limits{
		Timeout: time.Minute, MemoryBytes: 2 * cellwall.GiB, CPUs: 1, Processes: 64,
		WorkspaceBytes: cellwall.GiB, ArtifactBytes: 512 * cellwall.MiB, ArtifactTotalBytes: 512 * cellwall.MiB,
	}
}

// convert has a sandbox of its own make the dataset: what reads hostile bytes is
// behind the wall, and what it leaves is data like an upload.
func (s *Server) convert(ctx context.Context, who cellwall.Identity, b *Brought, language string) (made cellwall.KeptDataset, err error) {
	if s.opts.Sessions == nil || s.opts.Artifacts == nil {
		return made, &cellwall.Error{Code: cellwall.CodeProtectionMissing, Op: "read source", Err: errNoSessions}
	}
	terms, err := s.terms(ctx)
	if err != nil {
		return made, err
	}
	limits := capped(conversion(), terms.Ceiling)
	fillCap(&limits.WorkspaceBytes, terms.Ceiling.WorkspaceBytes, limits.WorkspaceBytes)
	fillCap(&limits.ArtifactBytes, terms.Ceiling.ArtifactBytes, limits.ArtifactBytes)
	fillCap(&limits.ArtifactTotalBytes, terms.Ceiling.ArtifactTotalBytes, limits.ArtifactTotalBytes)
	one, began, err := s.opts.Sessions.Create(ctx, cellwall.Request{
		Trace: callID(ctx), Identity: who, Language: language, Purpose: "make a dataset of what was brought", Limits: limits, Prelude: true, Own: true,
	}, SessionLife{Total: limits.Timeout + time.Minute})
	if err != nil {
		return made, err
	}
	if one == nil {
		return made, unreadable(began)
	}
	defer one.Close()
	if !began.OK {
		return made, unreadable(began)
	}
	if err := one.Put(ctx, b.File, b.Content, limits.WorkspaceBytes); err != nil {
		return made, err
	}
	result, err := marked(ctx, func() (*cellwall.Result, error) {
		return one.Cell(ctx, SessionCell{Trace: callID(ctx), Subject: who.Subject, Code: b.Program, Language: language}, nil)
	})
	if err != nil {
		return made, err
	}
	if !result.OK {
		return made, unreadable(result)
	}
	return s.keepLeft(ctx, result, leftFile{op: "read source", file: b.Leaves, name: safeName(b.Name), more: "ask for less, or have the tenant's limits for artifacts raised"})
}

// leftFile is a file that a sandbox of ours leaves, and the dataset that it becomes.
type leftFile struct {
	op   string // in errors
	file string
	name string // of the dataset, safe
	more string // what to do where the file is too large
}

// keepLeft stores what the sandbox left as a dataset.
func (s *Server) keepLeft(ctx context.Context, result *cellwall.Result, l leftFile) (made cellwall.KeptDataset, err error) {
	who := callerOf(ctx)
	at := slices.IndexFunc(result.Artifacts, func(a cellwall.Artifact) bool { return a.Name == l.file })
	if at < 0 {
		why := errors.New("the sandbox left no file")
		if len(result.SkippedArtifacts) > 0 {
			why = errors.New(result.SkippedArtifacts[0].Reason)
		}
		return made, &cellwall.Error{
			Code: cellwall.CodeTooLarge, Op: l.op, Err: why, Hint: l.more,
		}
	}
	kept, err := s.opts.Artifacts.Artifact(ctx, who.Tenant, result.Artifacts[at].ID)
	if err != nil {
		return made, err
	}
	content, err := s.opts.Artifacts.Open(ctx, kept)
	if err != nil {
		return made, fmt.Errorf("open what the sandbox left: %w", err)
	}
	defer content.Close()
	return s.putDataset(ctx, l.name, content)
}
