package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/cellwall/cellwall"
)

// executionBody is what a caller asks for. What it leaves away is the tenant's.
type executionBody struct {
	Code              string            `json:"code" minLength:"1" doc:"Python, at most 100,000 characters"`
	Purpose           string            `json:"purpose,omitempty" maxLength:"2000" doc:"What the code is for, in the record"`
	ExpectedArtifacts []string          `json:"expected_artifacts,omitempty" maxItems:"64" nullable:"false" doc:"Names of files that should come of it"`
	Datasets          []string          `json:"datasets,omitempty" maxItems:"64" nullable:"false" doc:"Ids; the first is df"`
	Environment       string            `json:"environment,omitempty" maxLength:"64"`
	Backend           string            `json:"backend,omitempty" maxLength:"64"`
	Profile           string            `json:"profile,omitempty" enum:"default,strict,off" doc:"Only a stricter one than the tenant's"`
	Limits            *limitsBody       `json:"limits,omitempty"`
	Metadata          map[string]string `json:"metadata,omitempty" doc:"Your own, at most 16 texts of 512 bytes: recorded and given back"`
	TokenCost         float64           `json:"token_cost,omitempty" minimum:"0" maximum:"1000000000" doc:"What you paid for the code, in your own unit"`
	AttemptsLeft      *int              `json:"attempts_left,omitempty" minimum:"0" maximum:"1000" doc:"Told to the model when the code failed"`
	Callable
}

// limitsBody narrows what the tenant has; what is left away is its default.
type limitsBody struct {
	TimeoutMS     int64   `json:"timeout_ms,omitempty" minimum:"100" maximum:"300000"`
	MemoryBytes   int64   `json:"memory_bytes,omitempty" minimum:"67108864" maximum:"68719476736"`
	CPUs          float64 `json:"cpus,omitempty" minimum:"0.1" maximum:"64"`
	Processes     int     `json:"processes,omitempty" minimum:"4" maximum:"4096"`
	OutputBytes   int64   `json:"output_bytes,omitempty" minimum:"1" maximum:"1073741824"`
	ArtifactBytes int64   `json:"artifact_bytes,omitempty" minimum:"1" maximum:"1073741824"`
}

func (l *limitsBody) limits() cellwall.Limits {
	if l == nil {
		return cellwall.Limits{}
	}
	return cellwall.Limits{
		Timeout: time.Duration(l.TimeoutMS) * time.Millisecond, MemoryBytes: l.MemoryBytes, CPUs: l.CPUs,
		Processes: l.Processes, OutputBytes: l.OutputBytes, ArtifactBytes: l.ArtifactBytes,
	}
}

// The bounds of metadata.
const (
	maxMetadata      = 16
	maxMetadataName  = 64
	maxMetadataValue = 512
)

// checkMetadata bounds what a caller has us keep.
func checkMetadata(m map[string]string) error {
	if len(m) > maxMetadata {
		return badMetadata("it has more than 16 entries")
	}
	for name, value := range m {
		if name == "" || len(name) > maxMetadataName || len(value) > maxMetadataValue {
			return badMetadata("a name is longer than 64 bytes, or a value than 512")
		}
	}
	return nil
}

func badMetadata(why string) error {
	return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "check metadata", Err: errors.New(why)}
}

// executionRequest is the request to the controller that a call asks for. Its
// datasets are open until in is closed.
func (s *Server) executionRequest(r *http.Request, in *executionInput) (cellwall.Request, error) {
	ctx, b := r.Context(), &in.body
	if err := checkMetadata(b.Metadata); err != nil {
		return cellwall.Request{}, err
	}
	if err := checkCodeSize(b.Code); err != nil {
		return cellwall.Request{}, err
	}
	if err := s.openDatasets(ctx, in); err != nil {
		return cellwall.Request{}, err
	}
	if err := followed(b.Callable, wantsEvents(r) || wantsAsync(r)); err != nil {
		return cellwall.Request{}, err
	}
	return s.requestOf(ctx, in, language(r))
}

// requestOf is the request of a body whose datasets are open.
func (s *Server) requestOf(ctx context.Context, in *executionInput, language string) (cellwall.Request, error) {
	b := &in.body
	functions, err := s.functions(b.Callable, language)
	return cellwall.Request{
		ID: reservedID(ctx), Trace: callID(ctx), Identity: callerOf(ctx),
		Code: b.Code, Purpose: b.Purpose, ExpectedArtifacts: b.ExpectedArtifacts, Datasets: in.inputs,
		Environment: b.Environment, Backend: b.Backend, Profile: b.Profile, Limits: b.Limits.limits(),
		Language: language, AttemptsLeft: b.AttemptsLeft, TokenCost: b.TokenCost, Metadata: b.Metadata, Functions: functions,
	}, err
}

// openDatasets opens what the body names, before the files that came with it.
func (s *Server) openDatasets(ctx context.Context, in *executionInput) error {
	files := in.inputs
	in.inputs = nil
	for _, id := range in.body.Datasets {
		if s.opts.Datasets == nil {
			return notThere("dataset")
		}
		f, kept, err := s.opts.Datasets.Open(ctx, callerOf(ctx).Tenant, id)
		if err != nil {
			return err
		}
		in.open = append(in.open, f)
		in.inputs = append(in.inputs, stored(f, kept))
	}
	in.inputs = append(in.inputs, files...)
	if len(in.inputs) > cellwall.MaxInputs {
		return &cellwall.Error{
			Code: cellwall.CodeTooLarge, Op: "open datasets", Err: fmt.Errorf("there are more than %d", cellwall.MaxInputs),
		}
	}
	return differ(in.inputs)
}

// stored is the input of a dataset, whose content is known: it may be parsed once
// for many executions.
func stored(f *os.File, kept cellwall.KeptDataset) cellwall.Input {
	in := inputOf(f, kept.Name, kept.Bytes)
	in.Dataset, in.SHA256 = kept.ID, kept.SHA256
	return in
}

func inputOf(f *os.File, name string, size int64) cellwall.Input {
	return cellwall.Input{Name: name, FD: int(f.Fd()), Size: size}
}
