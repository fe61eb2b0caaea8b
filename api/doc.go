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
