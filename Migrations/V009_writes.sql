-- Writes: the user's own requests, what they wait for, and how a source stands.
--
-- siding_queue         `operation` names the entry of the configuration's `writes` that it came from. `key_field` is the
--                      header field that carries `key`; `key_quoted` writes it as a structured string (RFC 8941). `keyed`
--                      says that the origin honours it, for `key_lifetime_us` from `first_sent_at` on. For other writes
--                      `first_sent_at` is set before the first byte leaves: such a write is never sent again on its own.
--                      `waits_on` counts unsettled parents. `waits_for` is 'line' where a try failed for want of a
--                      connection: its wait is cut short when the line returns. `replaces` is the entry that this one is
--                      the edited form of. `answer_type` is the Content-Type of `answer`.
-- siding_dependencies  `entry` is not sent before `parent` is settled.
-- siding_sources       made anew (as siding_sources_new) with, beside the gate: failed tries in a row, the retry budget, how many requests may be under way after
--                      an outage, and when the source was last served, which makes claims go round.
--
-- One index finds the next entry of a source: the oldest of its lane, without unsettled parents, due.

ALTER TABLE siding_queue ADD COLUMN operation TEXT;
ALTER TABLE siding_queue ADD COLUMN key_field TEXT;
ALTER TABLE siding_queue ADD COLUMN key_quoted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE siding_queue ADD COLUMN waits_on INTEGER NOT NULL DEFAULT 0;
ALTER TABLE siding_queue ADD COLUMN waits_for TEXT;
ALTER TABLE siding_queue ADD COLUMN replaces TEXT;
ALTER TABLE siding_queue ADD COLUMN answer_type TEXT;

DROP INDEX siding_queue_due;
CREATE INDEX siding_queue_ready ON siding_queue (source, not_before, seq)
    WHERE kind = 'write' AND state = 'queued' AND head = 1 AND waits_on = 0;
CREATE INDEX siding_queue_expiry ON siding_queue (expires_at) WHERE state = 'queued' AND expires_at IS NOT NULL;
CREATE UNIQUE INDEX siding_queue_key ON siding_queue (key);

CREATE TABLE siding_dependencies (
    entry  TEXT NOT NULL REFERENCES siding_queue (id) ON DELETE CASCADE,
    parent TEXT NOT NULL REFERENCES siding_queue (id) ON DELETE CASCADE,
    PRIMARY KEY (entry, parent),
    CONSTRAINT dependencies_not_itself CHECK (entry <> parent)
) STRICT, WITHOUT ROWID;

CREATE INDEX siding_dependencies_parent ON siding_dependencies (parent);

CREATE TABLE siding_sources_new (
    name       TEXT    PRIMARY KEY,
    gate       TEXT,
    gate_until INTEGER,
    gate_note  TEXT,
    failures   INTEGER NOT NULL DEFAULT 0,
    budget     INTEGER NOT NULL DEFAULT 500,
    allowance  INTEGER,
    served_at  INTEGER NOT NULL DEFAULT 0,
    changed_at INTEGER NOT NULL,
    CONSTRAINT sources_gate CHECK (gate IN ('offline', 'retry_after', 'breaker', 'sign_in')),
    CONSTRAINT sources_gate_has_end CHECK (gate IS NOT NULL OR gate_until IS NULL),
    CONSTRAINT sources_allowance CHECK (allowance > 0)
) STRICT, WITHOUT ROWID;

INSERT INTO siding_sources_new (name, gate, gate_until, gate_note, changed_at)
    SELECT name, gate, gate_until, gate_note, changed_at FROM siding_sources;
DROP TABLE siding_sources;
ALTER TABLE siding_sources_new RENAME TO siding_sources;
