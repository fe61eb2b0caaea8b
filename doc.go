// Package cellwall is the language of the product: the nouns that every room
// shares, and the two interfaces that isolation backends implement.
//
// It performs no I/O and imports the standard library only. Rooms import this
// package and never each other; cmd/cellwall knows everyone.
//
// # Outcome and error
//
// A program that fails is data: a [Result] with a [Status] and a [Cause]. A Go
// error is Cellwall's own failure or a refused request; it is an [*Error] with
// an [ErrorCode], a text of the form "verb object: cause", and a hint for a person.
//
// # One execution
//
// A [Request] names code and datasets. The controller turns it into a [Spec]
// (policy, never the model, decides what stands in it), claims a [Sandbox],
// sends [Code], receives [Event] values in order, reads the [End] from the
// kernel, harvests artifacts, and answers with a [Result] that carries an
// [Observation] for the model.
//
// Sizes are bytes, durations are time.Duration, and JSON uses the names of the
// public surface (snake case, milliseconds as *_ms).
package cellwall
