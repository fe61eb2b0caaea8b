package abuse

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/visible"
)

// output returns the cases of letter O.
func output() []Case {
	return slices.Concat(streams(), texts(), results(), readers(), origins(), opened())
}

// streams are attempts to say too much.
func streams() []Case {
	little := cellwall.Limits{OutputBytes: 4 * cellwall.MiB, OutputKeepBytes: 64 * cellwall.KiB, OutputLogBytes: cellwall.MiB}
	flooded := Expect{
		Statuses: []cellwall.Status{cellwall.StatusOutputLimit}, Causes: []cellwall.Cause{cellwall.CauseOutput},
		Judge: func(o Outcome) []Problem { return keptOf(o, little) },
	}
	flood := func(x Exhibit) []Problem {
		if x.StdoutBytes+x.StderrBytes <= 8*cellwall.MiB {
			return []Problem{Problem(fmt.Sprintf("only %d bytes were written", x.StdoutBytes+x.StderrBytes))}
		}
		return nil
	}
	return []Case{
		{
			ID: "O107", Title: "print without end", Boundary: "output is capped while it is read",
			Attack:  Program{File: "O107.py", Limits: little, Expect: flooded},
			Control: Control{Timeout: time.Second, Judge: flood}, Sibling: printsMuch(),
		},
		{
			ID: "O108", Title: "flood both streams in long and short lines", Boundary: "output is capped while it is read",
			Attack:  Program{File: "O108.py", Limits: little, Expect: flooded},
			Control: Control{Timeout: time.Second, Judge: flood}, Sibling: printsMuch(),
		},
		{
			ID: "O110", Title: "mishandle the output", Boundary: "the run ends by its processes, not by its pipes",
			Attack: Program{File: "O110.py", Expect: Expect{Prints: []string{"before", "after"}}},
			Control: Control{Judge: func(x Exhibit) []Problem {
				if !strings.Contains(x.Stdout, "after") {
					return []Problem{"the program did not come to its end"}
				}
				return nil
			}},
			Sibling: printsMuch(),
		},
	}
}

// keptOf demands that of each stream no more is kept than the limits say, and
// that what was cut is told.
func keptOf(o Outcome, l cellwall.Limits) []Problem {
	var bad []Problem
	for name, s := range map[string]cellwall.Output{"stdout": o.Result.Stdout, "stderr": o.Result.Stderr} {
		if n := int64(len(s.Text)); n > 2*l.OutputKeepBytes+1024 {
			bad = append(bad, Problem(fmt.Sprintf("%d bytes of %s were kept, want at most %d", n, name, 2*l.OutputKeepBytes)))
		}
		if s.Bytes > int64(len(s.Text)) && !s.Truncated {
			bad = append(bad, Problem(fmt.Sprintf("%s lost bytes (%d of %d) and is not called truncated", name, len(s.Text), s.Bytes)))
		}
	}
	if !o.Result.Stdout.Truncated && !o.Result.Stderr.Truncated {
		bad = append(bad, "neither stream is called truncated")
	}
	return bad
}

// texts are attempts by what is said.
func texts() []Case {
	failed := func(judge func(Outcome) []Problem) Expect {
		return Expect{
			Statuses: []cellwall.Status{cellwall.StatusError}, Causes: []cellwall.Cause{cellwall.CauseException}, Judge: judge,
		}
	}
	shown := failed(observedPlain)
	shown.Prints = []string{"SHOWN"}
	return []Case{
		{
			ID: "O111", Title: "bytes that are no text", Boundary: "output is valid text",
			Attack: Program{File: "O111.py", Expect: Expect{Prints: []string{"begin"}, Judge: func(o Outcome) []Problem {
				var bad []Problem
				if !utf8.ValidString(o.Result.Stdout.Text) || !utf8.ValidString(o.Result.Stderr.Text) {
					bad = append(bad, "a stream is no valid text")
				}
				if o.Result.Stdout.Bytes != 61 || o.Result.Stderr.Bytes != 10 {
					bad = append(bad, Problem(fmt.Sprintf("%d and %d bytes are counted, want 61 and 10", o.Result.Stdout.Bytes, o.Result.Stderr.Bytes)))
				}
				return bad
			}}},
			Control: Control{Judge: func(x Exhibit) []Problem {
				if utf8.ValidString(x.Stdout) || x.StdoutBytes != 61 {
					return []Problem{Problem(fmt.Sprintf("%d bytes of valid text were written", x.StdoutBytes))}
				}
				return nil
			}},
			Sibling: printsMuch(),
		},
		{
			ID: "O112", Title: "text that acts on whoever shows it", Boundary: "observations are free of control characters",
			Attack: Program{File: "O112.py", Expect: shown},
			Control: Control{Judge: func(x Exhibit) []Problem {
				if !strings.Contains(x.Stdout, "\x1b]52;") {
					return []Problem{"no control sequence came out"}
				}
				return nil
			}},
			Sibling: printsMuch(),
		},
		{
			ID: "O113", Title: "text that imitates whoever wraps it", Boundary: "output is data in fields of its own",
			Attack: Program{File: "O113.py", Expect: failed(func(o Outcome) []Problem {
				if o.Result.Error == nil || o.Result.Error.Message != "the real end" || strings.HasPrefix(o.Result.ID, "exec_aaaa") {
					return []Problem{"the real end is not told"}
				}
				return nil
			})},
			Control: Control{Harness: "harness_parser.py", Shows: []string{"verdict"}}, Sibling: printsMuch(),
		},
		{
			ID: "O121", Title: "text that writes log lines", Boundary: "observations are free of control characters",
			Attack: Program{File: "O121.py", Expect: shown},
			Control: Control{Judge: func(x Exhibit) []Problem {
				if !strings.Contains(x.Stderr, "\n2026-01-01T00:00:00Z level=INFO") {
					return []Problem{"no line of its own came out"}
				}
				return nil
			}},
			Sibling: showsErrors(),
		},
	}
}

// observedPlain demands that nothing a model or a person is shown acts: no
// control characters but line ends and tabs, nothing that reorders or hides.
func observedPlain(o Outcome) []Problem {
	var bad []Problem
	r := o.Result.Observation
	for field, text := range map[string]string{
		"stdout_excerpt": r.StdoutExcerpt, "error_message": r.ErrorMessage, "error_type": r.ErrorType,
		"failed_code_excerpt": r.FailedCodeExcerpt, "retry_hint": r.RetryHint, "warnings": strings.Join(r.Warnings, " "),
	} {
		if i := strings.IndexFunc(text, visible.Acts); i >= 0 {
			bad = append(bad, Problem(fmt.Sprintf("%s of the observation holds a character that acts: %q", field, clip(text[i:]))))
		}
	}
	if strings.Contains(r.ErrorType, "\n") {
		bad = append(bad, "error_type of the observation holds a line end")
	}
	return bad
}

// results are attempts by values, errors and files.
func results() []Case {
	caps := cellwall.Limits{Artifacts: 16, ArtifactBytes: cellwall.MiB, ArtifactTotalBytes: 2 * cellwall.MiB}
	return []Case{
		{
			ID: "O114", Title: "a value that fights whoever shows it", Boundary: "bounded encoding inside, strict decoding outside",
			Attack: Program{File: "O114.py", Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusOK, cellwall.StatusError}, Prints: []string{"SHOWN"}, Judge: strictJSON,
			}},
			Control: Control{Judge: func(x Exhibit) []Problem {
				if !strings.Contains(x.Stdout, "SHOWN") {
					return []Problem{"the program did not come to its end"}
				}
				return nil
			}},
			Sibling: showsErrors(),
		},
		{
			ID: "O115", Title: "an error that is worse than what it tells of", Boundary: "errors are bounded",
			Attack: Program{File: "O115.py", Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusError, cellwall.StatusMemoryLimit, cellwall.StatusTimeout},
				Prints:   []string{"FALLING"}, Judge: strictJSON,
			}},
			Control: Control{Judge: func(x Exhibit) []Problem {
				if x.StderrBytes < 16*cellwall.MiB {
					return []Problem{Problem(fmt.Sprintf("the error took only %d bytes", x.StderrBytes))}
				}
				return nil
			}},
			Sibling: showsErrors(),
		},
		{
			ID: "O116", Title: "more artifacts than anybody asked for", Boundary: "caps on number, size and sum",
			Attack: Program{File: "O116.py", Limits: caps, Expect: Expect{
				Prints: []string{"MADE 209"},
				Judge: func(o Outcome) []Problem {
					bad := append(withinCaps(o, caps), noneOf(o, "huge.bin")...)
					if len(o.Result.Artifacts) == 0 || len(o.Result.SkippedArtifacts) == 0 {
						bad = append(bad, "the first are not kept, or the rest is not told")
					}
					return bad
				},
			}},
			Control: Control{Judge: func(x Exhibit) []Problem {
				if len(x.Files) < 200 {
					return []Problem{Problem(fmt.Sprintf("a naive collector took only %d files", len(x.Files)))}
				}
				return nil
			}},
			Sibling: leavesArtifacts(),
		},
		{
			ID: "O117", Title: "files that explode when they are opened", Boundary: "artifacts are opaque bytes",
			Attack:  Program{File: "O117.py", Expect: Expect{Prints: []string{"MADE 5"}, Judge: strictJSON}},
			Control: Control{Harness: "harness_opener.py", Shows: []string{"bomb"}},
			Sibling: leavesArtifacts(),
		},
		{
			ID: "O123", Title: "ends that look like somebody else's doing", Boundary: "the cause is the kernel's word", Runs: 5,
			Attack: Program{File: "O123.py", Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusCrashed}, Prints: []string{"ACTING"},
				Judge: func(o Outcome) []Problem {
					want := []cellwall.Cause{"exit:137", "signal:SIGKILL", "signal:SIGXCPU", "exit:124", "exit:0"}[o.World.Run%5]
					if o.Result.Cause != want {
						return []Problem{Problem(fmt.Sprintf("cause is %q, want %q", o.Result.Cause, want))}
					}
					return nil
				},
			}},
			Control: Control{Runs: 1, Judge: func(x Exhibit) []Problem {
				if x.Exit != 137 {
					return []Problem{"the program did not imitate an OOM kill"}
				}
				return nil
			}},
			Sibling: exitsWell(),
		},
	}
}

// strictJSON demands that the result is JSON of moderate size that a strict
// reader takes.
func strictJSON(o Outcome) []Problem {
	text, err := json.Marshal(o.Result)
	if err != nil {
		return []Problem{Problem("the result is no JSON: " + err.Error())}
	}
	var bad []Problem
	if len(text) > 4<<20 {
		bad = append(bad, Problem(fmt.Sprintf("the result has %d bytes", len(text))))
	}
	for _, r := range o.Result.Results {
		for kind, data := range r.Data {
			if !json.Valid(data) {
				bad = append(bad, Problem(fmt.Sprintf("the value of type %s is no JSON", clip(kind))))
			}
		}
	}
	return bad
}
