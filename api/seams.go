package api

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/cellwall/cellwall"
)

// Keys tells who calls and how often they may. Package quota has it.
type Keys interface {
	// Authenticate returns whose key it is, in constant time. Every reason to
	// refuse is CodeUnauthenticated with the same text.
	Authenticate(ctx context.Context, key string) (cellwall.Identity, error)
	// Take counts one request of who against the rates of its tenant and subject.
	// It fails with CodeRateLimited and a RetryAfter.
	Take(who cellwall.Identity) error
	// Tenant returns the terms that hold now.
	Tenant(id string) (cellwall.Tenant, error)
}

// Work runs code. Package controller has it.
type Work interface {
	Stream(context.Context, cellwall.Request, cellwall.Sink) (*cellwall.Result, error)
	Describe(context.Context, cellwall.Request) (*cellwall.Result, error)
}

// Executions are those that can be asked for later. Package store has it. To
// every tenant but its own an execution is CodeNotFound.
type Executions interface {
	Execution(ctx context.Context, tenant, id string) (cellwall.KeptExecution, error)
	// ResultBytes is how long the Result of one is, 0 = it has none.
	ResultBytes(ctx context.Context, tenant, id string) (int64, error)
	Executions(ctx context.Context, tenant string, page cellwall.Page) (list []cellwall.KeptExecution, next string, err error)
	// Accept keeps an execution that is not done, for respond-async.
	Accept(context.Context, cellwall.KeptExecution) error
}

// Once gives an idempotency key one answer. Package store has it.
type Once interface {
	// Reserve takes the key for a request whose body has this hash, on disk when
	// it returns. CodeConflict: the key was used with another body. With result the
	// answer is that of the execution, when it is kept already.
	Reserve(ctx context.Context, tenant, key string, body [32]byte, result bool) (cellwall.Reservation, error)
	// Reserved is the id that a key was given; "" = it was never used.
	Reserved(ctx context.Context, tenant, key string) (execution string, err error)
	// Finish keeps the answer; Release forgets a reservation that led to none.
	Finish(ctx context.Context, tenant, key string, status int, body []byte) error
	Release(ctx context.Context, tenant, key string) error
	// HandOn gives a key whose request broke off to who asks next, as if the service
	// had died: with the same id, or the answer that the execution of that id has.
	HandOn(ctx context.Context, tenant, key string) error
}

// Datasets are the uploads. cmd joins packages dataset and store to it.
type Datasets interface {
	// Hold stores what r gives, and makes no dataset of it yet: Keep does, within an
	// hour. CodeTooLarge as soon as it is more than maxBytes, or than its tenant may
	// keep beside what a dataset of this id has; id "" = there is none.
	Hold(ctx context.Context, who cellwall.Identity, id, name string, r io.Reader, maxBytes int64) (cellwall.KeptDataset, error)
	// Keep makes the dataset, once: where one of its id stands, that is given.
	Keep(ctx context.Context, d cellwall.KeptDataset) (cellwall.KeptDataset, error)
	// Describe keeps what a sandbox said of it.
	Describe(ctx context.Context, tenant string, d cellwall.Dataset) error
	Dataset(ctx context.Context, tenant, id string) (cellwall.KeptDataset, error)
	Datasets(ctx context.Context, tenant string, page cellwall.Page) (list []cellwall.KeptDataset, next string, err error)
	// Open gives the content as a file on this host. The caller closes it.
	Open(ctx context.Context, tenant, id string) (*os.File, cellwall.KeptDataset, error)
	Delete(ctx context.Context, tenant, id string) error
}

// Uploads are datasets on their way, in pieces that may be resumed. cmd joins
// package store to it. To every tenant but its own an upload is CodeNotFound.
type Uploads interface {
	// BeginUpload announces one, once: where one of its id stands, that is given.
	BeginUpload(ctx context.Context, who cellwall.Identity, id, name string, size int64) (cellwall.KeptUpload, error)
	Upload(ctx context.Context, tenant, id string) (cellwall.KeptUpload, error)
	// Continue appends what r gives. CodeBadRequest: that is more than is missing of
	// the announced size, and nothing of it stays.
	// CodeConflict: the upload is not at offset. What arrived before r failed stays.
	Continue(ctx context.Context, tenant, id string, offset int64, r io.Reader) (cellwall.KeptUpload, error)
	// FinishUpload makes the dataset of an upload that is whole, the same one each
	// time it is asked.
	FinishUpload(ctx context.Context, who cellwall.Identity, id string) (cellwall.KeptDataset, error)
	AbandonUpload(ctx context.Context, tenant, id string) error
}

// Artifacts are what runs left. cmd joins packages artifact and store to it.
type Artifacts interface {
	Artifact(ctx context.Context, tenant, id string) (cellwall.KeptArtifact, error)
	Open(ctx context.Context, a cellwall.KeptArtifact) (io.ReadSeekCloser, error)
}

// Recorder keeps entries, those of refused calls too. It returns when the entry
// is written and outlives this process. Package audit has it.
type Recorder interface {
	Append(at time.Time, entry any) error
}

// Environments are those that are built.
type Environments interface {
	Environments(context.Context) ([]cellwall.Environment, error)
}
