// Package connect reads databases and buckets for datasets, outside of every
// sandbox: read-only, through connections that the operator has named.
//
// # Connections
//
// A [Connection] has an address without a password, and says where its secret is: a
// file that only its owner can read, or a variable of the environment. [Open] checks
// all of them; the secret is read anew for each snapshot. It is in no error, no
// record, no answer, and in no sandbox.
//
//	postgres://reader@db.internal/shop?sslmode=verify-full   secret: the password
//	sqlite:/srv/shop.db                                      none
//	s3://bucket/prefix?endpoint=host:port&region=name        secret: the secret key; User: the access key; no User: anonymous
//
// # Snapshots
//
// [Book.Snapshot] gives rows, or a file:
//
//	PostgreSQL   one SELECT as a cursor, in a transaction that is READ ONLY and REPEATABLE READ, as a role that is no
//	             superuser and may neither run programs nor reach the server's files; it is never committed. The database judges the text: a
//	             cursor is made of a SELECT or VALUES alone, and one statement is one message. Rows come as text in CSV,
//	             of which a program makes Parquet, with the types that the database says
//	SQLite       the file as it is, copied while nobody writes to it. It is not read here: a hostile file meets SQLite
//	             in a sandbox, in a program that opens it immutable, query_only, with an authorizer that allows SELECT
//	S3           an object below the prefix, as it is; or all objects below another prefix, as the parts of one table: CSV with one
//	             first line, JSON lines, or Parquet, which a sandbox joins
//
// A snapshot ends with CodeTooLarge at the connection's rows or bytes, or at those
// that the caller has room for: part of a table is not given for the whole.
//
// # Errors
//
// CodeNotFound: there is no such connection, table or object. CodeBadRequest: the
// database does not take the query; its sentence is told, for who wrote the query to
// mend it. CodeForbidden: the role may not. CodeSourceFailed: the other side cannot
// be reached or failed; why is in [Entry].Cause only, and the secret is not.
package connect
