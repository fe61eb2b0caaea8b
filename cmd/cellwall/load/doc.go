// Package load asks a service for executions from a process of its own, and says
// how long each took to be answered.
//
// The child is a hidden verb of the binary: [Child]. It reads an [Order] per line
// from its standard input, as JSON, carries it out and writes what it [Saw] as one
// line. It ends with its input. Keys of the service come that way, too: an argument
// could be read by every user of the host.
//
// An order is some streams that run beside each other, each a tenant of its own
// or another one's calls. A stream is closed (so many callers that wait for each
// answer before they ask again) or open (calls that begin at random at a rate,
// whatever became of those before: Poisson arrivals). Connections are kept and
// used again across orders. A time is from before the request is written until
// the last byte of the answer is read.
//
// # Trust
//
// It is a tool of the benchmark and of tests, which start it against a service of
// their own.
package load
