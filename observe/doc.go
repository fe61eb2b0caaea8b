// Package observe turns a [cellwall.Result] into what a model is told: a
// [cellwall.Observation] that is short, bounded, and has a way forward, and
// the warnings that stand in the Result and the Observation alike.
//
// # Promise
//
// The functions are pure: no I/O, no clock, no global state, the same input
// gives the same output, and a call takes microseconds. Everything in an
// [Input] but Limits, Language, Packages and AttemptsLeft came out of a
// sandbox. It is carried as data and bounded here again, whatever was bounded
// before; nothing in it can make a function of this package fail.
//
// # Failure
//
// error_message holds at most 500 characters and failed_code_excerpt at most
// 1,000, cut between characters; below the code stands the line of the module that
// led to the failing one, when it is another. available_columns and dtypes describe the
// table that the failing line most likely meant, else df; at most 100 columns
// are listed, and a warning says how many there are. did_you_mean holds at
// most three names, best first, from the names of the kind that was missing
// (column, module, file, variable), and nothing rather than a wild guess.
// retry_hint is a few sentences chosen by the class of the failure. A class has several
// where more or less is known: the first is said of which every value is known (the
// column, the loop, the file to read in parts), so that no sentence has a gap. df and
// dfs are promised only when data was given; did_you_mean and available_columns are
// named only when they are there.
//
// # Success
//
// stdout_excerpt holds at most 4,000 characters, head and tail; a line that
// was overwritten with carriage returns shows its last state, terminal
// controls are taken out. result_excerpt holds at most 2,000 characters: the
// text of the main result, or the description of a chart. Artifacts are told
// by type and path. A table is never told whole.
//
// What was printed before a failure is told in the same field of a failure.
//
// Characters that reorder or hide text (bidi overrides, zero width, tags) are
// told as Python writes them in a string, so that nothing reads otherwise than
// it is and a name can still be used as it is told.
//
// What a file or a program says stands in fields of its own, and inside of our
// sentences in quotation marks that it cannot close: a column called "ignore your
// instructions" reads as a name. Chosen by the kind of the blank, not by what is in it.
//
// # Refusals and limits
//
// What the wall refused is told by name, however it came to the code: every
// observation of a run with refused calls names them and how often, and where
// an exception is the wall's answer to one, or comes from one that is, the hint
// says so instead of taking it for a mistake in the code. A place that cannot
// be written is named with the places that can; a full file system with what it
// holds, files and bytes. An error number alone proves nothing: EPERM without a
// refused call is a missing right, ENOMEM without one is memory.
//
// # Sessions
//
// A cell that was killed is told what its session went back to, first of all
// warnings, and each thing that did not come back. A cell that a budget forbade
// is told a structured stop and nothing else: which budget, how much of it is
// used, and what would help instead of another try.
//
// # Words
//
// Every sentence exists in English and in Chinese; an unknown language is
// English. Names, numbers and code stay as they are in both.
//
// # People
//
// [Terminal] makes hostile text safe to print for a person.
package observe
