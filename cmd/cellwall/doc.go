// Command cellwall runs code that a model wrote in a fresh, walled sandbox.
//
// One file is one verb. main is a few lines around program, a value that a
// test can build; house.go wires the rooms for the verbs that execute
// something; backends.go and hidden.go are the literal maps of what exists.
//
// # Exit status
//
//	0    the code ended ok, or the verb did what it says
//	1    the code did not end ok; a dataset could not be parsed; replay found
//	     a difference; a session ended before its cells did; doctor found
//	     that the default backend cannot run; pentest found that something got
//	     through, or a risk that reaches the gate
//	2    usage: an unknown flag, a limit out of range, a file that is not there
//	3    refused by policy or quota
//	4    Cellwall's own error, also a missing protection
//	130  interrupted
//
// # Output
//
// With --json there is exactly one document on stdout. Without it, what the
// program printed goes to stdout and stderr as it is into a pipe or file; on a
// terminal everything that a terminal would obey is escaped, unless --raw.
// What Cellwall itself says goes to stderr. Errors are two lines:
//
//	cellwall: error: <verb object: cause>
//	cellwall: hint: <what to do>
//
// # Sessions
//
// shell, replay and run with a notebook open one session in a house of their
// own, which ends with them. Ctrl-C interrupts a cell of shell, and the program
// everywhere else. Cells, values, names and files of a session are a stranger's
// text at the terminal; figures reach it as package figure says.
//
// # To add a flag
//
// Add a field to the verb's struct, with help; its environment variable is
// CELLWALL_ and the flag's name in capitals. Validate what kong cannot in the
// verb's Run. Completion follows by itself.
package main
