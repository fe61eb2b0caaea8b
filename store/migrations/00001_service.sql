-- The same text for SQLite and PostgreSQL. Times are microseconds since 1970,
-- UTC; documents are JSON; tenant stands first in every key that has one.

-- +goose Up
CREATE TABLE meta (
    k TEXT PRIMARY KEY,
    v TEXT NOT NULL,
    n BIGINT NOT NULL
);

CREATE TABLE instances (
    id TEXT PRIMARY KEY,
    at BIGINT NOT NULL
);

CREATE TABLE tenants (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    created BIGINT NOT NULL,
    terms TEXT NOT NULL
);

CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    sha256 TEXT NOT NULL UNIQUE,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    revoked BIGINT NOT NULL
);

CREATE TABLE executions (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    session TEXT NOT NULL,
    subject TEXT NOT NULL,
    key_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    state TEXT NOT NULL,
    status TEXT NOT NULL,
    metadata TEXT NOT NULL,
    instance TEXT NOT NULL,
    request BYTEA,
    result BYTEA,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX executions_newest ON executions (tenant, at, id);
CREATE INDEX executions_undone ON executions (at) WHERE state IN ('queued', 'running');

CREATE TABLE entries (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    at BIGINT NOT NULL,
    recorded INTEGER NOT NULL,
    entry BYTEA NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX entries_newest ON entries (tenant, at, id);
CREATE INDEX entries_oldest ON entries (at);
CREATE INDEX entries_unrecorded ON entries (at) WHERE recorded = 0;

CREATE TABLE once (
    tenant TEXT NOT NULL,
    k TEXT NOT NULL,
    body TEXT NOT NULL,
    execution TEXT NOT NULL,
    instance TEXT NOT NULL,
    status INTEGER NOT NULL,
    answer BYTEA,
    at BIGINT NOT NULL,
    PRIMARY KEY (tenant, k)
);
CREATE INDEX once_oldest ON once (at);

CREATE TABLE contents (
    sha256 TEXT PRIMARY KEY,
    place TEXT NOT NULL UNIQUE,
    bytes BIGINT NOT NULL,
    at BIGINT NOT NULL,
    held_until BIGINT NOT NULL
);
CREATE INDEX contents_held ON contents (held_until);

CREATE TABLE stored (
    tenant TEXT PRIMARY KEY,
    bytes BIGINT NOT NULL
);

CREATE TABLE datasets (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    sha256 TEXT NOT NULL REFERENCES contents (sha256),
    described TEXT NOT NULL,
    subject TEXT NOT NULL,
    key_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX datasets_newest ON datasets (tenant, at, id);
CREATE INDEX datasets_content ON datasets (sha256);

CREATE TABLE artifacts (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    execution TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    media_type TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    sha256 TEXT NOT NULL REFERENCES contents (sha256),
    flags TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX artifacts_oldest ON artifacts (tenant, at);
CREATE INDEX artifacts_content ON artifacts (sha256);
CREATE INDEX artifacts_execution ON artifacts (tenant, execution);

CREATE TABLE uploads (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    size BIGINT NOT NULL,
    received BIGINT NOT NULL,
    dataset TEXT NOT NULL,
    subject TEXT NOT NULL,
    key_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX uploads_oldest ON uploads (at);

CREATE TABLE upload_parts (
    tenant TEXT NOT NULL,
    upload TEXT NOT NULL,
    start_at BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    sha256 TEXT NOT NULL REFERENCES contents (sha256),
    PRIMARY KEY (tenant, upload, start_at)
);
CREATE INDEX upload_parts_content ON upload_parts (sha256);

CREATE TABLE sequences (
    tenant TEXT PRIMARY KEY,
    seq BIGINT NOT NULL
);

CREATE TABLE events (
    tenant TEXT NOT NULL,
    seq BIGINT NOT NULL,
    id TEXT NOT NULL,
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (tenant, seq)
);
CREATE INDEX events_oldest ON events (tenant, at);

CREATE TABLE webhooks (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    url TEXT NOT NULL,
    secret TEXT NOT NULL,
    kinds TEXT NOT NULL,
    state TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);

CREATE TABLE deliveries (
    tenant TEXT NOT NULL,
    webhook TEXT NOT NULL,
    event BIGINT NOT NULL,
    tries INTEGER NOT NULL,
    next_at BIGINT NOT NULL,
    state TEXT NOT NULL,
    last_status INTEGER NOT NULL,
    PRIMARY KEY (tenant, webhook, event),
    FOREIGN KEY (tenant, webhook) REFERENCES webhooks (tenant, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant, event) REFERENCES events (tenant, seq) ON DELETE CASCADE
);
CREATE INDEX deliveries_due ON deliveries (next_at) WHERE state = 'waiting';
CREATE INDEX deliveries_event ON deliveries (tenant, event);

CREATE TABLE alerts (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    rule TEXT NOT NULL,
    state TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);

CREATE TABLE usage (
    tenant TEXT NOT NULL,
    subject TEXT NOT NULL,
    hour BIGINT NOT NULL,
    executions BIGINT NOT NULL,
    refused BIGINT NOT NULL,
    wall_ms DOUBLE PRECISION NOT NULL,
    cpu_ms DOUBLE PRECISION NOT NULL,
    bytes BIGINT NOT NULL,
    token_cost DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (tenant, hour, subject)
);

CREATE TABLE budgets (
    tenant TEXT NOT NULL,
    subject TEXT NOT NULL,
    used TEXT NOT NULL,
    since BIGINT NOT NULL,
    PRIMARY KEY (tenant, subject)
);
