// Package store keeps what the service must find again: tenants and keys,
// executions and their results, what datasets, artifacts and uploads are and
// whose, idempotency keys, events, webhooks and their deliveries, alert rules,
// usage, and the references to contents.
//
// # Two databases, one code
//
// SQLite (WAL) below the state directory, or PostgreSQL by its URL. The same
// queries, migrations and tests serve both.
//
// # Writes
//
// One goroutine writes. It takes everything that waits, puts it into one
// transaction, commits, and answers all of them: a lone writer waits for one
// commit, a hundred share one. Reads go past it.
//
// # Order
//
// An execution is stored before its record is appended, and the record before
// the answer is sent. So each record has its execution; [Store.Unrecorded]
// finds what a death in between left, and its record is appended at the start.
//
// # Contents
//
// Bytes of datasets and artifacts lie in a store by content, on disk or in S3.
// A reference is a row; a content without one is removed when it is older than
// a grace period, never while an upload or a harvest holds it.
package store
