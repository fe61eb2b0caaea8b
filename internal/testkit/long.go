package testkit

import "os"

// LongVariable puts a run into the long tier when it is 1 (scripts/long_suite.py
// sets it).
const LongVariable = "CELLWALL_TEST_ALL"

// Long reports whether there is time for everything: repeats, every row for
// every kind of user, and comparisons of times, which a busy machine falsifies.
func Long() bool { return os.Getenv(LongVariable) == "1" }
