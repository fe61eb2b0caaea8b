-- The tools of a session: on which data, and how far the conversation has come. It
-- outlives the service that had the session.

-- +goose Up
CREATE TABLE toolboxes (
    tenant TEXT NOT NULL,
    session TEXT NOT NULL,
    at BIGINT NOT NULL,
    until BIGINT NOT NULL,
    rev BIGINT NOT NULL,
    plan TEXT NOT NULL,
    state TEXT NOT NULL,
    tables TEXT NOT NULL,
    PRIMARY KEY (tenant, session)
);
CREATE INDEX toolboxes_oldest ON toolboxes (until);
