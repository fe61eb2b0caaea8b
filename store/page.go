package store

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cellwall/cellwall"
)

// start is where a part of a list begins: behind this row.
type start struct {
	at    int64
	id    string
	limit int
}

func (s start) cursor() string { return fmt.Sprintf("%d.%s", s.at, s.id) }

// startOf reads a page. A cursor is "<microseconds>.<id>"; who hands it to
// strangers signs it.
func startOf(page cellwall.Page) (start, error) {
	s := start{at: math.MaxInt64, limit: page.Limit}
	if s.limit < 1 || s.limit > 200 {
		return s, &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "list", Err: fmt.Errorf("a limit of %d", s.limit), Hint: "ask for 1 to 200",
		}
	}
	if page.After == "" {
		return s, nil
	}
	at, id, ok := strings.Cut(page.After, ".")
	n, err := strconv.ParseInt(at, 10, 64)
	if !ok || err != nil || id == "" || len(id) > 64 {
		return s, &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "list", Err: errors.New("the cursor is none of ours"), Hint: "begin without a cursor",
		}
	}
	s.at, s.id = n, id
	return s, nil
}

// pageBytes bounds the texts of one part of a list, as they are kept.
const pageBytes = 2 << 20

// errPageFull ends a query whose part of the list is full.
var errPageFull = errors.New("the page is full")

// filling counts the texts of a part of a list. Its first row is always given, and
// the one that is too many stands behind the others, as that of cut.
type filling struct{ rows, bytes int }

func (f *filling) add(texts ...int) error {
	f.rows++
	for _, n := range texts {
		f.bytes += n
	}
	if f.bytes > pageBytes && f.rows > 1 {
		return errPageFull
	}
	return nil
}

// limit is where cut cuts, with how the query ended.
func (f *filling) limit(most int, err error) (int, error) {
	if errors.Is(err, errPageFull) {
		return min(most, f.rows-1), nil
	}
	return most, err
}

// cut takes the row off that only tells that there is more.
func cut[T any](list []T, limit int, at func(T) start) (part []T, next string) {
	if len(list) <= limit {
		return list, ""
	}
	return list[:limit], at(list[limit-1]).cursor()
}
