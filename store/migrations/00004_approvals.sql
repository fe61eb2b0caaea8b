-- What waits for a person, or waited. done is 0 until what was decided has been done.

-- +goose Up
CREATE TABLE approvals (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    asked_key TEXT NOT NULL,
    asked_subject TEXT NOT NULL,
    at BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    session TEXT NOT NULL,
    execution TEXT NOT NULL,
    tool TEXT NOT NULL,
    artifact TEXT NOT NULL,
    code TEXT NOT NULL,
    purpose TEXT NOT NULL,
    request TEXT NOT NULL,
    decided_key TEXT NOT NULL,
    decided_subject TEXT NOT NULL,
    decided_at BIGINT NOT NULL,
    comment TEXT NOT NULL,
    outcome TEXT NOT NULL,
    done INTEGER NOT NULL,
    instance TEXT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX approvals_newest ON approvals (tenant, at, id);
CREATE INDEX approvals_execution ON approvals (tenant, execution);
CREATE INDEX approvals_artifact ON approvals (tenant, artifact) WHERE kind = 'artifact';
CREATE INDEX approvals_waiting ON approvals (expires) WHERE state = 'waiting';
CREATE INDEX approvals_undone ON approvals (at) WHERE done = 0;
