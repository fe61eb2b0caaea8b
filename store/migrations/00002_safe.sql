-- Events are told once, whoever tells them again; sessions that live are known
-- to who comes after the service that had them.

-- +goose Up
CREATE UNIQUE INDEX events_once ON events (tenant, id);

CREATE TABLE sessions (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    subject TEXT NOT NULL,
    instance TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
