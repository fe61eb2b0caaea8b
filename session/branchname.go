package session

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestBranchName is counted in characters.
const longestBranchName = 64

// IsBranchName reports whether a branch may be called so: 1 to 64 letters,
// numbers, "_", "." and "-", of which the first is a letter or a number.
//
// It is no expression: compiled, `[\p{L}\p{N}]` sixty-four times over takes 3 ms
// and 2.5 MB of every process of this binary, the wardens too.
func IsBranchName(name string) bool {
	if name == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > longestBranchName {
		return false
	}
	for at, r := range name {
		if !unicode.IsLetter(r) && !unicode.Is(unicode.N, r) && (at == 0 || !strings.ContainsRune("_.-", r)) {
			return false
		}
	}
	return true
}
