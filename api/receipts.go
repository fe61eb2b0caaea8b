package api

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/cellwall/cellwall"
)

// Receipts sign what the log says of an execution that is done. cmd joins
// package audit to it.
type Receipts interface {
	Receipt(ctx context.Context, k cellwall.KeptExecution) (Receipt, error)
	// Key is the public key that checks them.
	Key() string
}

// Receipt is signed over "cellwall receipt", a newline, and Receipt as compact
// JSON, with ed25519.
type Receipt struct {
	Receipt   json.RawMessage
	Key       string
	Signature []byte
}

func (s *Server) registerReceipts() {
	if s.opts.Receipts == nil || s.opts.Executions == nil {
		return
	}
	handle(s, "getReceipt", s.getReceipt)
	handle(s, "getReceiptKey", s.getReceiptKey)
}

type receiptIn struct {
	ID string `path:"id" maxLength:"64"`
}

type receiptOut struct {
	Body struct {
		Receipt   any    `json:"receipt" doc:"What ran, on what, behind which wall, and what came of it, by hashes"`
		Key       string `json:"key" doc:"ed25519: and the public key in base64"`
		Signature []byte `json:"signature" doc:"Over \"cellwall receipt\", a newline, and receipt as compact JSON"`
	}
}

func (s *Server) getReceipt(ctx context.Context, in *receiptIn) (*receiptOut, error) {
	k, err := s.opts.Executions.Execution(ctx, callerOf(ctx).Tenant, in.ID)
	if err != nil {
		return nil, err
	}
	if k.State != cellwall.WorkDone {
		return nil, &cellwall.Error{
			Code: cellwall.CodeConflict, Op: "sign receipt", Err: errors.New("the execution is not done"), Hint: "ask again when it is",
		}
	}
	r, err := s.opts.Receipts.Receipt(ctx, k)
	if err != nil {
		return nil, err
	}
	out := &receiptOut{}
	out.Body.Receipt, out.Body.Key, out.Body.Signature = r.Receipt, r.Key, r.Signature
	return out, nil
}

type receiptKeyOut struct {
	Body struct {
		Key string `json:"key" doc:"ed25519: and the public key in base64"`
	}
}

func (s *Server) getReceiptKey(context.Context, *struct{}) (*receiptKeyOut, error) {
	out := &receiptKeyOut{}
	out.Body.Key = s.opts.Receipts.Key()
	return out, nil
}
