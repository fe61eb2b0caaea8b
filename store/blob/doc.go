// Package blob keeps contents: bytes of datasets, artifacts and uploads, each
// at a place of its own, on disk or in S3.
//
// A place is "<sha256>-<random>": it names the content, by which who reads it
// can check it, and is used once. So nothing that is removed can be what
// somebody else has just stored, and no two services need a lock between them.
// Which place holds which content is the database's to know; see package store.
package blob
