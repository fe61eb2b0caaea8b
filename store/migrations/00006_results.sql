-- The Results that are kept count as stored, too.

-- +goose Up
INSERT INTO stored (tenant, bytes) SELECT tenant, sum(length(result)) FROM executions WHERE result IS NOT NULL GROUP BY tenant
    ON CONFLICT (tenant) DO UPDATE SET bytes = stored.bytes + excluded.bytes;
