// Package notify tells tenants what happened: an event stream for each, signed
// webhooks, and alert rules over verdicts, refusals and the queue.
//
// # Promises
//
//   - An event is kept before it is told; a stream goes on after the last event
//     that its reader names.
//   - A webhook is signed (HMAC-SHA256 over id, time and body) and tried again
//     with growing pauses until it is taken or too old; at least once, never in
//     the way of an answer.
//   - A webhook leads to no address of this host or its private networks unless
//     the operator allows it, checked on the address that is dialled. No
//     redirect is followed.
//   - An event holds ids, statuses and counts; no code, no data.
package notify
