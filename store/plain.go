package store

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

// plain refuses a text that PostgreSQL does not take: what is asked and answered must
// not depend on the database. SQLite would keep it, and compare it up to its NUL in
// places. Of a batch only the op of it is refused.
func plain(args []any) error {
	for _, a := range args {
		if text, ok := a.(string); ok && (!utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0) {
			return refused{&cellwall.Error{
				Code: cellwall.CodeBadRequest, Op: "read text", Err: errors.New("it has a character that cannot be kept, such as NUL"), Hint: "leave it out",
			}}
		}
	}
	return nil
}
