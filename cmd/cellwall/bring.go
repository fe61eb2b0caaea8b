package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/cellwall/cellwall"
)

// fetchVerb is "cellwall fetch".
type fetchVerb struct {
	URL string `arg:"" name:"URL" help:"Of a data file, at a host that the service lets its tenant fetch from."`
	bringFlags
}

// Help is the part of the help that shows how it is used.
func (*fetchVerb) Help() string {
	return `Examples:

  cellwall fetch https://data.example.org/rates.csv
  cellwall fetch --server http://HOST:8642 --json https://data.example.org/rates.csv

The service fetches it, outside of every sandbox; it becomes a dataset there.`
}

// Run has a service fetch a file.
func (v *fetchVerb) Run(ctx context.Context, p *program, c *config) error {
	return v.bring(ctx, p, c, map[string]any{"fetch": map[string]string{"url": v.URL}})
}

// snapshotVerb is "cellwall snapshot".
type snapshotVerb struct {
	Connection string `arg:"" name:"CONNECTION" help:"One of the service's, that its tenant may use."`
	Table      string `placeholder:"NAME" help:"Of a database: every row of it."`
	Query      string `placeholder:"SELECT" help:"Of a database: what this gives."`
	Key        string `placeholder:"KEY" help:"Of a bucket: an object."`
	Prefix     string `placeholder:"PREFIX" help:"Of a bucket: the objects below it, joined into one table."`
	bringFlags
}

// Help is the part of the help that shows how it is used.
func (*snapshotVerb) Help() string {
	return `Examples:

  cellwall snapshot shop --table public.orders
  cellwall snapshot shop --query 'SELECT region, sum(amount) FROM orders GROUP BY region' --name regions
  cellwall snapshot lake --key 2026/11/orders.parquet

The service reads it with credentials that stay there; it becomes a dataset.`
}

// Run has a service read a database or a bucket.
func (v *snapshotVerb) Run(ctx context.Context, p *program, c *config) error {
	said := 0
	body := map[string]any{"connection": v.Connection}
	for field, value := range map[string]string{"table": v.Table, "query": v.Query, "key": v.Key, "prefix": v.Prefix} {
		if value != "" {
			body[field] = value
			said++
		}
	}
	if said != 1 {
		return usage("read command line", errors.New("it says nothing, or more than one thing"), "give one of --table, --query, --key and --prefix")
	}
	return v.bring(ctx, p, c, body)
}

// bringFlags are what both verbs take.
type bringFlags struct {
	Name   string `placeholder:"NAME" help:"Of the dataset (default: what it is called there)."`
	Server string `placeholder:"URL" help:"The service: http://HOST:PORT, https://… or unix:PATH, with a key in CELLWALL_API_KEY (default: the one of this user and state directory)."`
	JSON   bool   `name:"json" help:"Print the description as one document."`
}

// bring asks the service, and prints the dataset that it made.
func (f *bringFlags) bring(ctx context.Context, p *program, c *config, body map[string]any) error {
	s, err := f.service(ctx, c)
	if err != nil {
		return err
	}
	if f.Name != "" {
		body["name"] = f.Name
	}
	text, err := plainJSON(body)
	if err != nil {
		return fmt.Errorf("write request: %w", err)
	}
	res, err := s.do(ctx, http.MethodPost, "/v1/datasets", map[string]string{"Content-Type": "application/json"}, strings.NewReader(string(text)))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var d cellwall.Dataset
	if err := json.NewDecoder(res.Body).Decode(&d); err != nil {
		return fmt.Errorf("read what the service says: %w", err)
	}
	if f.JSON {
		return p.printJSON(d)
	}
	p.stdout.say(plain, "", d.ID)
	p.printDataset(d)
	return nil
}

func (f *bringFlags) service(ctx context.Context, c *config) (*client, error) {
	if f.Server != "" {
		return newClient(f.Server)
	}
	if s := localClient(ctx, c, "/healthz", localSure); s != nil {
		return s, nil
	}
	return nil, usage("find service", errors.New("none of this user runs over "+c.StateDir), "start one with cellwall serve, or name one with --server")
}
