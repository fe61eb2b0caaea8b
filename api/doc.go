// Package api is the service over HTTP: who calls, what they may ask for, and
// how it is answered.
//
// # The way of a request
//
//	call       an id (X-Request-Id), panics caught, headers and time bounded
//	caller     key or peer of the Unix socket, before a byte of the body is read
//	rate       of the tenant and the subject: 429 without reading on
//	body       one bounded read, decoded strictly: unknown fields are refused
//	once       Idempotency-Key: one answer, however often it is asked for
//	work       the controller: admission, queue, sandbox, record
//	answer     written when the record is, which then outlives this process
//
// # Once
//
// An idempotency key reserves the id of an execution, and with it one of each kind
// (cellwall.IDBeside), before the work begins. A key whose service died is given to the
// next request with the same id. So a handler that makes something takes its id from
// newID, and the room behind it gives what stands under that id instead of making it
// again. What ends with its service, a session, is made anew. So it is with the key of
// a request that broke off in a living service, by a panic or because its answer could
// not be kept: nobody knows what it has made. What was refused has made nothing, and its
// key is free.
//
// # Work left behind
//
// What is accepted with 202 is kept before, and outlives the service as long as it
// waits: the next one runs it. A cell does not: its session ended with the service, and
// the next one ends it, as refused, with that cause.
//
// # Panics
//
// A panic ends the call, or the piece of work left behind, in which it came: that is
// answered, or ended, as internal, and gives back what it held. The stack is in the log.
//
// # Scope
//
// Each look-up takes the tenant of the caller. What belongs to another tenant
// is not found, by the same path, with the same words as what does not exist.
//
// # Seams
//
// The rooms behind are handed in as the interfaces of seams.go; this package
// imports none of them. Only root types cross.
package api
