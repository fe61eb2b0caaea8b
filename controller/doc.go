// Package controller takes one execution from request to record.
//
// # The way
//
// Each stage is a file with one method:
//
//	admit     is the request well formed and within limits?      error
//	check     is the code text that Python reads as we do, and
//	          does the chain let it run? (Options.Check)         refused, findings
//	context   environment, limits, inputs: from policy           error
//	claim     a sandbox that nobody used, bound to this request  error
//	run       code goes in, events come out, output is capped
//	end       status and cause from the kernel's evidence
//	harvest   artifacts, after every process is dead
//	observe   warnings, and what the model is told
//	record    one entry, written before the answer               error
//	destroy   the sandbox is dropped
//
// # Outcome and error
//
// What the code did is a Result. An error is Cellwall's own failure or a bad
// request; everything after admit is recorded, errors too, so that a record
// exists of whatever may have run. When the record cannot be written there is
// no answer: the error is CodeInternal.
//
// A service wires an [Admission]: what a request may have, and when its turn is.
// What that refuses is recorded too, with its code, and nothing of it ran. The turn
// ends when the artifacts are taken, before the record is written.
//
// A sandbox that ended before the code reached it ran nothing of it: the
// request is claimed and run once more.
//
// Options.Trace hears of each stage, so that somebody may measure it (trace.go).
//
// A caller that goes away ends the run. The Result then has status cancelled,
// is recorded like any other, and nothing is harvested.
//
// So does a sink that fails, or does not take an event within SinkPatience.
//
// # Calls
//
// Code may call the functions that its request registers (Request.Functions), while it
// runs, as tools.<name>. Each call is one of 100 of its execution, held to its schema,
// masked where it leaves the service, and noted in the record: name, the beginning and
// the hash of its arguments, and what came of it. All calls of an execution together
// have a minute and 32 MiB; the deadline goes on while one waits, and its end ends the
// call. A function that is an execution of its own (Function.Nested) runs on the turn of
// the one that waits for it (Request.Parent), one at a time, and on its inputs.
//
// # Prepared data
//
// Inputs whose content is known (Input.SHA256) may have been parsed ahead: the
// sandbox then comes from a template, with df, dfs and the files of
// /workspace/input there, and is told no inputs. Which ones is decided by who is
// wired as Options.Prepared (package prepared), who in turn is told how long
// parsing in place took. A template that is gone costs nobody his run: the inputs
// are parsed in place, and the result says so.
//
// # Sessions
//
// [Controller.Open] takes a session on the same way up to its first state, and
// every [Opened.Cell] from admit to record in the sandbox of its session:
// context and claim were decided when it began, harvest happens while its
// processes live and takes what is new or changed since the cell before. What
// a rollback put into the output directory is no artifact of anybody.
//
// A rollback that was asked for is recorded too: the cells behind it run on
// another state. A cell that a budget forbids ([Opened.Stop]) is refused, observed and recorded,
// and nothing of it runs.
//
// # Masking
//
// For a caller for whom Options.Mask has one, a [Masking] goes between the sandbox and
// everything that is told or kept: events on their way to the sink and to the Result,
// logs of whole output, descriptions of datasets, findings, warnings, the observation. A
// piece of output that may still become personal waits for what follows, so that events
// may come a little later, and fewer. A notice says how much of each kind there was, never
// what. What the controller compares with what it knows stays as it came until it has.
// When there was more of a kind than [Masking] lets be told even so, no output, value,
// message or artifact is in the Result; events that came before are out, masked.
// Names of artifacts stay: they are what a caller asks for them by.
//
// # Output
//
// Of each stream the first and the last Limits.OutputKeepBytes are kept, with a
// line between them that says how many bytes are missing, and the count of all
// bytes. No cut splits a character, and bytes that are no UTF-8 become U+FFFD.
// Only a stream of which something was cut is also written to a file, up to
// Limits.OutputLogBytes, for the operator.
//
// Displayed values are kept while they have 8 MiB together as JSON writes them,
// 100 of them at most; the notice results_dropped says how many are not. What is
// answered is what is kept.
//
// # Cost
//
// All stages but run together take less than 0.2 ms for a small program
// (BenchmarkRun).
package controller
