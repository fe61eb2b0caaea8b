package backendtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/prepared"
)

// life demands of a controller with package prepared what that promises.
func (c *templates) life(t *testing.T) {
	t.Run("MadeBehindTheSecondTime", c.second)
	t.Run("EachTenantHasItsOwn", c.tenants)
	t.Run("ManyAtOnceMakeOne", c.atOnce)
	t.Run("ExpiresWhenNobodyUsesIt", c.expires)
	t.Run("BoundedForATenant", c.bounded)
	t.Run("DroppedWithItsDataset", c.dropped)
	t.Run("ItsDeathIsToldAndMended", c.mended)
	t.Run("WhatCannotBePreparedSaysWhy", c.unfit)
	t.Run("ItsMemoryIsBounded", c.memory)
}

// shop is a controller that prepares datasets, and its customers.
type shop struct {
	*templates
	Setup
	*prepared.Set
	t *testing.T
}

// shop prepares everything that is parsed twice, unless o says otherwise.
func (c *templates) shop(t *testing.T, o prepared.Options) *shop {
	if o.Worth == 0 {
		o.Worth = time.Nanosecond
	}
	setup, set := RoomsPrepared(t, c.Backend, c.Environment, o)
	return &shop{c, setup, set, t}
}

// run runs code on a stored file.
func (h *shop) run(tenant string, in abuse.File, source string) *cellwall.Result {
	h.t.Helper()
	r, err := h.Setup.Execute(h.t.Context(), h.request(tenant, in, source))
	if err != nil || !r.OK {
		h.t.Fatalf("ended as %+v: %v", r, err)
	}
	return r
}

func (h *shop) request(tenant string, in abuse.File, source string) cellwall.Request {
	return cellwall.Request{
		Identity: cellwall.Identity{Tenant: tenant}, Code: source, Datasets: []cellwall.Input{h.input(h.t, in)},
		Limits: cellwall.Limits{Timeout: testkit.Scale(30 * time.Second)},
	}
}

// twice has a file parsed in place as often as it takes.
func (h *shop) twice(tenant string, in abuse.File) {
	h.t.Helper()
	for range 2 {
		h.run(tenant, in, "len(df)")
	}
}

// await waits until the counts are as wanted.
func (h *shop) await(what string, wanted func(prepared.Counts) bool) {
	h.t.Helper()
	for end := time.Now().Add(testkit.Scale(time.Minute)); !wanted(h.Counts()); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			h.t.Fatalf("%s: the counts stay %+v", what, h.Counts())
		}
	}
}

func made(n int64) func(prepared.Counts) bool {
	return func(c prepared.Counts) bool { return c.Made == n }
}

func (c *templates) second(t *testing.T) {
	h := c.shop(t, prepared.Options{})
	const look = "import glob\nprint(df.amount.sum(), list(dfs), glob.glob('/workspace/input/*'), open('/workspace/input/books.csv').read(4))"
	first := h.run("acme", books, look)
	if n := h.Counts(); n.Made != 0 {
		t.Errorf("made at the first time: %+v", n)
	}
	h.run("acme", books, look)
	h.await("made", made(1))
	third := h.run("acme", books, look)
	if n := h.Counts(); n.Served != 1 || n.Templates != 1 {
		t.Errorf("the third time: %+v", n)
	}
	if third.Stdout.Text != first.Stdout.Text || fmt.Sprintf("%+v", third.Datasets) != fmt.Sprintf("%+v", first.Datasets) {
		t.Errorf("from a template: %q %+v\nin place: %q %+v", third.Stdout.Text, third.Datasets, first.Stdout.Text, first.Datasets)
	}
	if len(third.Warnings) != len(first.Warnings) {
		t.Errorf("warned of %q", third.Warnings)
	}
	live, began, err := h.Setup.Session(t.Context(), h.request("acme", books, ""))
	if err != nil || live == nil {
		t.Fatalf("session: %+v, %v", began, err)
	}
	defer live.Close()
	cell, err := live.Cell(t.Context(), cellwall.Request{Code: look}, 1, nil)
	if err != nil || cell.Stdout.Text != first.Stdout.Text || h.Counts().Served != 2 {
		t.Errorf("a session says %+v, %v; %+v", cell, err, h.Counts())
	}
}

func (c *templates) tenants(t *testing.T) {
	h := c.shop(t, prepared.Options{})
	h.twice("acme", books)
	h.await("made", made(1))
	h.run("globex", books, "len(df)")
	if n := h.Counts(); n.Served != 0 {
		t.Errorf("a stranger was served: %+v", n)
	}
	h.run("globex", books, "len(df)")
	h.await("made for both", made(2))
	if n := h.Counts(); n.Templates != 2 {
		t.Errorf("two tenants have %d templates", n.Templates)
	}
}

func (c *templates) atOnce(t *testing.T) {
	h := c.shop(t, prepared.Options{})
	h.run("acme", books, "len(df)")
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if r, err := h.Setup.Execute(context.WithoutCancel(t.Context()), h.request("acme", books, "len(df)")); err != nil || !r.OK {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	all.Wait()
	h.await("made", made(1))
	h.run("acme", books, "len(df)")
	if n := h.Counts(); n.Made != 1 || n.Templates != 1 {
		t.Errorf("six at once made %+v", n)
	}
}

func (c *templates) expires(t *testing.T) {
	h := c.shop(t, prepared.Options{Idle: 300 * time.Millisecond})
	h.twice("acme", books)
	h.await("made", made(1))
	h.await("expired", func(n prepared.Counts) bool { return n.Expired == 1 && n.Templates == 0 })
	if r := h.run("acme", books, "print(len(df))"); r.Stdout.Text != "80\n" {
		t.Errorf("afterwards: %q", r.Stdout.Text)
	}
}

func (c *templates) bounded(t *testing.T) {
	h := c.shop(t, prepared.Options{PerTenant: 2})
	for i := range 3 {
		h.twice("acme", abuse.File{Name: "a.csv", Data: []byte("x\n" + strings.Repeat("1\n", i+1))})
		h.await("made", made(int64(i+1)))
	}
	h.await("bounded", func(n prepared.Counts) bool { return n.Templates == 2 && n.Evicted == 1 })
}

func (c *templates) dropped(t *testing.T) {
	h := c.shop(t, prepared.Options{})
	h.twice("acme", books)
	h.await("made", made(1))
	h.Drop("globex", h.input(t, books).SHA256)
	if n := h.Counts(); n.Templates != 1 {
		t.Errorf("another tenant dropped it: %+v", n)
	}
	h.Drop("acme", h.input(t, books).SHA256)
	if n := h.Counts(); n.Templates != 0 {
		t.Errorf("it is there behind its dataset: %+v", n)
	}
	h.run("acme", books, "len(df)")
	if n := h.Counts(); n.Served != 0 {
		t.Errorf("a dropped one was served: %+v", n)
	}
}

func (c *templates) mended(t *testing.T) {
	if c.KillTemplates == nil {
		t.Fatal("backendtest.Templates: KillTemplates is needed")
	}
	h := c.shop(t, prepared.Options{})
	h.twice("acme", books)
	h.await("made", made(1))
	if err := c.KillTemplates(); err != nil {
		t.Fatal(err)
	}
	told := false
	for end := time.Now().Add(testkit.Scale(time.Minute)); !told && time.Now().Before(end); { // its death may still be on its way
		r := h.run("acme", books, "print(df.amount.sum())")
		if r.Stdout.Text != "160.0\n" {
			t.Errorf("behind the death: %q", r.Stdout.Text)
		}
		told = strings.Contains(strings.Join(r.Warnings, "\n"), "was lost")
	}
	if !told {
		t.Errorf("nobody is told: %+v", h.Counts())
	}
	h.await("mended", made(2))
	if r := h.run("acme", books, "print(df.amount.sum())"); r.Stdout.Text != "160.0\n" || len(r.Warnings) != 0 {
		t.Errorf("mended: %q, %q", r.Stdout.Text, r.Warnings)
	}
}

func (c *templates) unfit(t *testing.T) {
	h := c.shop(t, prepared.Options{TenantBytes: 1})
	h.twice("acme", books)
	h.await("failed", func(n prepared.Counts) bool { return n.Failed == 1 })
	if n := h.Counts(); n.Templates != 0 || n.Bytes != 0 {
		t.Errorf("one that is too large is kept: %+v", n)
	}
	r := h.run("acme", books, "print(len(df))")
	if told := strings.Join(r.Warnings, "\n"); r.Stdout.Text != "80\n" || !strings.Contains(told, "read anew") || !strings.Contains(told, "memory") {
		t.Errorf("%q with warnings %q", r.Stdout.Text, r.Warnings)
	}
	h.run("acme", books, "len(df)")
	if n := h.Counts(); n.Failed != 1 {
		t.Errorf("tried again: %+v", n)
	}
}

// memory demands that what a template takes is bounded while it is built: frames
// of many short texts are far larger than their columns.
func (c *templates) memory(t *testing.T) {
	var text strings.Builder
	text.WriteString("a,b,c\n")
	for i := range 250_000 {
		fmt.Fprintf(&text, "x%d,y%d,z%d\n", i, i, i)
	}
	sp := c.on(t, "acme", abuse.File{Name: "many.csv", Data: []byte(text.String())})
	sp.Limits.Rows = 1_000_000
	made, err := c.Prepare(t.Context(), sp)
	if err != nil {
		t.Fatalf("within %d MiB: %v", sp.Limits.MemoryBytes>>20, err)
	}
	if err := c.Forget(made.Name); err != nil {
		t.Error(err)
	}
	if low := int64(250_000 * 3 * 50); made.Bytes < low {
		t.Errorf("it takes %d bytes, more than %d", made.Bytes, low)
	}
	sp.Limits.MemoryBytes = 64 * cellwall.MiB
	_, err = c.Prepare(t.Context(), sp)
	var known *cellwall.Error
	if !errors.As(err, &known) || known.Code != cellwall.CodeDatasetUnreadable || !strings.Contains(err.Error(), "memory") {
		t.Errorf("within 64 MiB: %v", err)
	}
}
