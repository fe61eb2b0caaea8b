// Package policy checks code before it runs: rules are data, findings say rule,
// line, reason and what to use instead.
//
// # What it is for
//
// It is advice. The wall does not depend on it: whatever a chain lets through runs
// behind the same wall, and each of its lists can be got around. A refusal before
// the run costs no sandbox and tells a model what to write instead.
//
// # The chain
//
// [Chain.Check] takes a program through links, in this order:
//
//	blocks      an operator's [Blocks], of a pattern or of one program, in every profile
//	text        size, UTF-8, NUL bytes
//	syntax      the interpreter's own word
//	imports     of modules, against a list of those that may, or may not
//	names       builtins and attributes, and strings that hide their text
//	patterns    the text as it is written
//	review      a model's opinion, where an operator has named one: [Options.Reviewer]
//
// A link is a [Rule]: where it looks, what for, whether it refuses, and its words.
// A tenant may have rules of its own beside or instead of them ([ReadOwn]); a request
// may only choose a stricter profile than its tenant's ([Choose]).
//
//	off       blocks only
//	default   advice on what the wall will not let happen; refuses nothing that Python
//	          can read. Code without any of its words is not even parsed
//	execute   the second article's two checks, for the route POST /execute
//	strict    the lists and messages of the first and third article, verbatim, with
//	          their gaps and false alarms, a link for strings that hide their text, and
//	          the restricted interpreter
//
// # The restricted interpreter
//
// [Chain.Restriction] says what the driver keeps from a strict program while it runs,
// by the same rules: imports of its own that no rule sees in the text, from
// statistics import random, and builtins, in the same words, as SecurityError. See
// guest/driver/_cellwall/restricted.py. Its gaps are those of Python's objects:
// print.__self__, a frame, a module that a module holds; the wall is behind it.
//
// # The reviewer
//
// It is asked last, of what nothing has refused, in every profile but off, and can
// only refuse. What it said is a finding either way, so that records have it. A
// program that it does not answer about is refused, unless [Options.Unreviewed]. See
// package review.
//
// # The parser
//
// Links that need one ask a [Parser]. [Checkers] is the real one: an interpreter of
// the program's own environment behind a wall of its own, which parses and never runs
// anything. What it says is an [Outline], hostile data: [Decode] bounds it. A program
// that ends its parser is refused by a link that refuses; one that no parser can be
// had for does not run there either ([cellwall.CodeProtectionMissing]).
//
// # Cost
//
// A program of 100 lines in a warm checker is to take 1 ms at most: chain_ms of
// "cellwall bench", BenchmarkStrict of cmd/cellwall; BenchmarkLinks says what the
// links alone take. Where the text shows all that a program holds and no link minds
// it, the parser is only asked whether it parses, which costs half and is most of
// what is left. See docs/RATIONALE.md for what was measured.
package policy
