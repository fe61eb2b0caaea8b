package api

import (
	"time"

	"github.com/cellwall/cellwall"
)

// tenantLimits are limits of a tenant: what a request that asks for none has, or
// the most that it may ask for.
type tenantLimits struct {
	TimeoutMS      int64   `json:"timeout_ms,omitempty" minimum:"0"`
	MemoryBytes    int64   `json:"memory_bytes,omitempty" minimum:"0"`
	CPUs           float64 `json:"cpus,omitempty" minimum:"0"`
	Processes      int     `json:"processes,omitempty" minimum:"0"`
	OutputBytes    int64   `json:"output_bytes,omitempty" minimum:"0"`
	ArtifactBytes  int64   `json:"artifact_bytes,omitempty" minimum:"0"`
	Artifacts      int     `json:"artifacts,omitempty" minimum:"0"`
	InputBytes     int64   `json:"input_bytes,omitempty" minimum:"0"`
	WorkspaceBytes int64   `json:"workspace_bytes,omitempty" minimum:"0"`
	TmpBytes       int64   `json:"tmp_bytes,omitempty" minimum:"0"`
	Rows           int     `json:"rows,omitempty" minimum:"0"`
}

func (l tenantLimits) limits() cellwall.Limits {
	return cellwall.Limits{
		Timeout: time.Duration(l.TimeoutMS) * time.Millisecond, MemoryBytes: l.MemoryBytes, CPUs: l.CPUs, Processes: l.Processes,
		OutputBytes: l.OutputBytes, ArtifactBytes: l.ArtifactBytes, Artifacts: l.Artifacts, InputBytes: l.InputBytes,
		WorkspaceBytes: l.WorkspaceBytes, TmpBytes: l.TmpBytes, Rows: l.Rows,
	}
}

func viewLimits(l cellwall.Limits) tenantLimits {
	return tenantLimits{
		TimeoutMS: l.Timeout.Milliseconds(), MemoryBytes: l.MemoryBytes, CPUs: l.CPUs, Processes: l.Processes,
		OutputBytes: l.OutputBytes, ArtifactBytes: l.ArtifactBytes, Artifacts: l.Artifacts, InputBytes: l.InputBytes,
		WorkspaceBytes: l.WorkspaceBytes, TmpBytes: l.TmpBytes, Rows: l.Rows,
	}
}

type tenantRate struct {
	PerSecond float64 `json:"per_second,omitempty" minimum:"0"`
	Burst     int     `json:"burst,omitempty" minimum:"0" doc:"At once; 0 = a second's worth"`
}

type tenantBudget struct {
	Executions int     `json:"executions,omitempty" minimum:"0"`
	Failures   int     `json:"failures,omitempty" minimum:"0" doc:"In a row"`
	TimeMS     int64   `json:"time_ms,omitempty" minimum:"0" maximum:"9000000000000" doc:"Wall clock of executions, and processor time that sessions used between theirs"`
	TokenCost  float64 `json:"token_cost,omitempty" minimum:"0" doc:"In the unit of the callers"`
	SameError  int     `json:"same_error,omitempty" minimum:"0" doc:"The same class of error, in a row"`
}

func (b tenantBudget) budget() cellwall.Budget {
	return cellwall.Budget{
		Executions: b.Executions, Failures: b.Failures, Time: time.Duration(b.TimeMS) * time.Millisecond, TokenCost: b.TokenCost, SameError: b.SameError,
	}
}

func viewBudget(b cellwall.Budget) tenantBudget {
	return tenantBudget{
		Executions: b.Executions, Failures: b.Failures, TimeMS: b.Time.Milliseconds(), TokenCost: b.TokenCost, SameError: b.SameError,
	}
}

// tenantApproval is what waits for a person.
type tenantApproval struct {
	Executions bool     `json:"executions,omitempty" doc:"Code that a caller or a model wrote: executions, cells, run_python"`
	Tools      []string `json:"tools,omitempty" maxItems:"16" nullable:"false" doc:"Calls of these tools"`
	Artifacts  bool     `json:"artifacts,omitempty" doc:"What runs left, before it is handed out"`
	ExpiresS   int64    `json:"expires_s,omitempty" minimum:"0" maximum:"31536000" doc:"How long it waits; 0 = a day"`
}

func (a tenantApproval) terms() cellwall.ApprovalTerms {
	return cellwall.ApprovalTerms{Executions: a.Executions, Tools: a.Tools, Artifacts: a.Artifacts, Expires: time.Duration(a.ExpiresS) * time.Second}
}

func viewApprovalTerms(a cellwall.ApprovalTerms) tenantApproval {
	return tenantApproval{Executions: a.Executions, Tools: a.Tools, Artifacts: a.Artifacts, ExpiresS: int64(a.Expires / time.Second)}
}

// termsBody are the terms of a tenant. What is 0 or left out is the service's
// default, and no bound where there is none.
type termsBody struct {
	Default            tenantLimits      `json:"default,omitzero" doc:"Of a request that asks for none"`
	Ceiling            tenantLimits      `json:"ceiling,omitzero" doc:"A request that asks for more is refused"`
	Environments       []string          `json:"environments,omitempty" maxItems:"64" nullable:"false" doc:"Left out: every one that is built"`
	Backends           []string          `json:"backends,omitempty" maxItems:"16" nullable:"false" doc:"Left out: the default one"`
	Profile            string            `json:"profile,omitempty" enum:"default,strict,off" doc:"The least strict that a request may choose"`
	Language           string            `json:"language,omitempty" enum:"en,zh"`
	Archives           bool              `json:"archives,omitempty" doc:"zip, gzip and tar may be artifacts"`
	Mask               bool              `json:"mask,omitempty" doc:"Personal data is masked in what executions tell, and in records"`
	MaskPatterns       map[string]string `json:"mask_patterns,omitempty" maxProperties:"32" doc:"What else is masked then: a kind to an expression of RE2"`
	Withhold           map[string]int    `json:"withhold,omitempty" maxProperties:"36" doc:"phone, id, card, email or a kind of mask_patterns, to how many of it in what one execution tells are too many to be told even masked: all of it is withheld then"`
	Rules              string            `json:"rules,omitempty" maxLength:"262144" doc:"Rules of the checks of its own: the JSON text of an object of profiles to lists of rules; one with a shipped one's name takes its place, one that looks for nothing takes it away"`
	FetchHosts         []string          `json:"fetch_hosts,omitempty" maxItems:"256" nullable:"false" doc:"That files may be fetched from: host, host:port, *.domain; https unless http:// stands before it"`
	Connections        []string          `json:"connections,omitempty" maxItems:"64" nullable:"false" doc:"Names of connections that snapshots may be made of"`
	Rate               tenantRate        `json:"rate,omitzero" doc:"Of requests"`
	SubjectRate        tenantRate        `json:"subject_rate,omitzero"`
	Concurrency        int               `json:"concurrency,omitempty" minimum:"0" doc:"Executions that run or wait"`
	SubjectConcurrency int               `json:"subject_concurrency,omitempty" minimum:"0"`
	Waiting            int               `json:"waiting,omitempty" minimum:"0" doc:"Executions in the queue"`
	Sessions           int               `json:"sessions,omitempty" minimum:"0"`
	Background         int               `json:"background,omitempty" minimum:"0" doc:"Asynchronous executions that are not done"`
	Approval           tenantApproval    `json:"approval,omitzero" doc:"What waits for a person before it happens"`
	Budget             tenantBudget      `json:"budget,omitzero" doc:"In budget_period_s"`
	SubjectBudget      tenantBudget      `json:"subject_budget,omitzero"`
	SessionBudget      tenantBudget      `json:"session_budget,omitzero"`
	BudgetPeriodS      int64             `json:"budget_period_s,omitempty" minimum:"0" maximum:"9000000000" doc:"0 = for ever"`
	StoreBytes         int64             `json:"store_bytes,omitempty" minimum:"0"`
	RetentionS         int64             `json:"retention_s,omitempty" minimum:"0" maximum:"9000000000"`
}

func (b *termsBody) terms() cellwall.Terms {
	return cellwall.Terms{
		Default: b.Default.limits(), Ceiling: b.Ceiling.limits(), Environments: b.Environments, Backends: b.Backends,
		Profile: b.Profile, Language: b.Language, Archives: b.Archives, Mask: b.Mask, MaskPatterns: b.MaskPatterns, Withhold: b.Withhold, Rules: b.Rules,
		FetchHosts: b.FetchHosts, Connections: b.Connections,
		Rate: cellwall.Rate(b.Rate), SubjectRate: cellwall.Rate(b.SubjectRate),
		Concurrency: b.Concurrency, SubjectConcurrency: b.SubjectConcurrency, Waiting: b.Waiting, Sessions: b.Sessions, Background: b.Background,
		Approval: b.Approval.terms(), Budget: b.Budget.budget(), SubjectBudget: b.SubjectBudget.budget(), SessionBudget: b.SessionBudget.budget(),
		BudgetPeriod: time.Duration(b.BudgetPeriodS) * time.Second, StoreBytes: b.StoreBytes, Retention: time.Duration(b.RetentionS) * time.Second,
	}
}

func viewTerms(t cellwall.Terms) termsBody {
	return termsBody{
		Default: viewLimits(t.Default), Ceiling: viewLimits(t.Ceiling), Environments: t.Environments, Backends: t.Backends,
		Profile: t.Profile, Language: t.Language, Archives: t.Archives, Mask: t.Mask, MaskPatterns: t.MaskPatterns, Withhold: t.Withhold, Rules: t.Rules,
		FetchHosts: t.FetchHosts, Connections: t.Connections,
		Rate: tenantRate(t.Rate), SubjectRate: tenantRate(t.SubjectRate),
		Concurrency: t.Concurrency, SubjectConcurrency: t.SubjectConcurrency, Waiting: t.Waiting, Sessions: t.Sessions, Background: t.Background,
		Approval: viewApprovalTerms(t.Approval), Budget: viewBudget(t.Budget), SubjectBudget: viewBudget(t.SubjectBudget), SessionBudget: viewBudget(t.SessionBudget),
		BudgetPeriodS: int64(t.BudgetPeriod / time.Second), StoreBytes: t.StoreBytes, RetentionS: int64(t.Retention / time.Second),
	}
}
