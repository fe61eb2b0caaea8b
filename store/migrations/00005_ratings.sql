-- What people think of executions: one rating of each person, with what the execution
-- said of itself, so that it outlives that.

-- +goose Up
CREATE TABLE ratings (
    tenant TEXT NOT NULL,
    execution TEXT NOT NULL,
    rater TEXT NOT NULL,
    key_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    correctness INTEGER NOT NULL,
    completeness INTEGER NOT NULL,
    fluency INTEGER NOT NULL,
    attribution INTEGER NOT NULL,
    comment TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt TEXT NOT NULL,
    environment TEXT NOT NULL,
    PRIMARY KEY (tenant, execution, rater)
);
CREATE INDEX ratings_oldest ON ratings (tenant, at, execution, rater);
