// Package stream sends events to clients as they happen: server-sent events
// (the WHATWG's text/event-stream) with heartbeats, and resumable.
//
// [Serve] writes what a [Source] tells. Each event has an id, a kind and one
// line of JSON; a comment line goes out whenever [Beat] passed without an event,
// so that proxies and clients know that the line lives. A client that comes back
// with Last-Event-ID hears what came after it. When nothing can come any more it
// is told 204, at which an EventSource stops.
//
// # The events of an execution
//
// [Buffer] is the source of one execution, on both ends of it: its Sink takes
// what the controller tells, its readers are clients, none, one or several.
//
//	started   {"id"}        the code was sent
//	stdout    {"text"}      also stderr; characters are never torn
//	result    {"is_main_result","data"}
//	artifact  as in the Result
//	warning   {"message"}
//	call      {"id","name","arguments"}; the code waits for its answer
//	done      the Result; the last event
//	problem   in its place, when the service failed: the problem document
//
// # Bounds
//
// A Buffer holds at most Options.Each bytes of events. A program that is faster
// than its reader is slowed down: the Sink waits for the reader, but not longer than
// Options.Patience; then the reader is let go, and hears on its return how many
// events are gone. Without a reader the oldest events go, without waiting. The
// last event is never dropped.
//
// A [Shelf] keeps the buffers of all executions, Options.Keep beyond their end,
// and when those that ended have more than Options.Together bytes, gives up the first
// of the tenant that has most of them. To every tenant but its own an
// execution is not there.
package stream
