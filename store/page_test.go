package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// Whoever asks for 200 rows of half a megabyte is not answered with 100 MB.
func TestPages_AreBoundedInBytesAndLeaveNothingOut(t *testing.T) {
	const rows, each = 11, 400 << 10
	onStore(t, func(t *testing.T, s *Store) {
		ctx, code := t.Context(), strings.Repeat("x", each)
		for i := range rows {
			at := noon.Add(time.Duration(i) * time.Second)
			a := cellwall.Approval{
				ID: fmt.Sprint("appr_", i), Kind: cellwall.ApprovalExecution, Asked: cellwall.Identity{Tenant: "tnt_a"}, At: at, Expires: at.Add(time.Hour), Code: code,
			}
			if err := s.Ask(ctx, a, nil, 2*rows, Note{ID: fmt.Sprint("e", i), At: at, Entry: []byte(code)}); err != nil {
				t.Fatal(err)
			}
		}
		for name, list := range map[string]func(cellwall.Page) (sizes []int, next string, err error){
			"approvals": func(p cellwall.Page) (sizes []int, next string, err error) {
				all, next, err := s.Approvals(ctx, "tnt_a", "", p)
				for _, a := range all {
					sizes = append(sizes, len(a.Code))
				}
				return sizes, next, err
			},
			"entries": func(p cellwall.Page) (sizes []int, next string, err error) {
				all, next, err := s.Entries(ctx, "tnt_a", p)
				for _, e := range all {
					sizes = append(sizes, len(e))
				}
				return sizes, next, err
			},
		} {
			seen, page := 0, cellwall.Page{Limit: 200}
			for {
				sizes, next, err := list(page)
				if err != nil || len(sizes) == 0 || len(sizes)*each > pageBytes {
					t.Fatalf("%s: a page has %d rows of %d bytes, %v", name, len(sizes), each, err)
				}
				if seen += len(sizes); next == "" {
					break
				}
				page.After = next
			}
			if seen != rows {
				t.Errorf("%s: %d rows in all pages, want %d", name, seen, rows)
			}
		}
	})
}
