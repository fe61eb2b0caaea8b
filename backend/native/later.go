package native

import (
	"fmt"

	"github.com/cellwall/cellwall"
)

// What the interfaces leave room for and this backend does not do yet is
// refused: a caller that asked for it must not believe that it has it.

// checkSpec refuses what Open cannot give.
func checkSpec(s cellwall.Spec) error {
	switch {
	case s.Home != "":
		return notYet("open sandbox", "a home of its own", "leave Spec.Home empty: the working directory is /workspace/output")
	case len(s.Users) > 0:
		return notYet("open sandbox", "a choice of users", "leave Spec.Users empty")
	case s.Shell, s.Tty:
		return notYet("open sandbox", "a shell or a terminal", "leave Spec.Shell and Spec.Tty false")
	}
	return nil
}

// checkCode refuses what Run cannot do.
func checkCode(c cellwall.Code) error {
	switch {
	case c.Language != "" && c.Language != "python":
		return notYet("run code", fmt.Sprintf("the language %q", c.Language), "python is the only one")
	case c.Context != "":
		return notYet("run code", "a further interpreter", "leave Code.Context empty")
	}
	return nil
}

func notYet(op, what, hint string) error {
	return &cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: op, Err: fmt.Errorf("%s is not available yet", what), Hint: hint,
	}
}
