-- The queue: requests that could not be answered yet, and when to ask again.
--
-- siding_queue    one row per retained request: a fetch (a page that could not be had) or a write (the user's own).
--                 queued -> sending -> done, or parked with a reason, or dropped by a person. `head` is 1 only for the
--                 oldest unsettled entry of a lane, which makes a claim one index seek. `position` keeps the order within
--                 the lane. `owner`, `token` fence a sender: what it settles must still be its own. A fetch is unique per
--                 resource and parameters, so nothing piles up. Credentials are never stored: `account` names them.
-- siding_attempts every transition of an entry: when, who, what, why.
-- siding_sources  per source, until when it is left alone and why, shared by all processes.

CREATE TABLE siding_queue (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    id              TEXT    NOT NULL CONSTRAINT queue_id_unique UNIQUE,
    kind            TEXT    NOT NULL,
    state           TEXT    NOT NULL,
    reason          TEXT,
    source          TEXT    NOT NULL,
    resource        TEXT,
    parameters      TEXT    NOT NULL DEFAULT '',
    account         TEXT    NOT NULL,
    lane            TEXT    NOT NULL,
    position        INTEGER NOT NULL,
    head            INTEGER NOT NULL,
    method          TEXT    NOT NULL,
    url             TEXT    NOT NULL,
    page_number     INTEGER,
    page_offset     INTEGER,
    headers         TEXT    NOT NULL DEFAULT '{}',
    body            BLOB,
    body_sha256     BLOB,
    key             TEXT    NOT NULL,
    keyed           INTEGER NOT NULL DEFAULT 0,
    key_lifetime_us INTEGER,
    attempts        INTEGER NOT NULL DEFAULT 0,
    crashes         INTEGER NOT NULL DEFAULT 0,
    created_at      INTEGER NOT NULL,
    not_before      INTEGER NOT NULL,
    expires_at      INTEGER,
    first_sent_at   INTEGER,
    cancel          INTEGER NOT NULL DEFAULT 0,
    owner           TEXT,
    token           INTEGER NOT NULL DEFAULT 0,
    status          INTEGER,
    answer          BLOB,
    error           TEXT,
    settled_at      INTEGER,
    CONSTRAINT queue_id_shape CHECK (length(id) = 26),
    CONSTRAINT queue_kind CHECK (kind IN ('fetch', 'write')),
    CONSTRAINT queue_state CHECK (state IN ('queued', 'sending', 'parked', 'done', 'dropped')),
    CONSTRAINT queue_reason CHECK (
        reason IN ('uncertain', 'rejected', 'conflict', 'sign_in', 'poison', 'expired', 'key_expired', 'invalid', 'held',
                   'dependency')
    ),
    CONSTRAINT queue_parked_has_reason CHECK ((state = 'parked') = (reason IS NOT NULL)),
    CONSTRAINT queue_sending_has_owner CHECK ((state = 'sending') = (owner IS NOT NULL)),
    CONSTRAINT queue_settled_has_time CHECK ((state IN ('done', 'dropped')) = (settled_at IS NOT NULL)),
    CONSTRAINT queue_head_is_unsettled CHECK (head = 0 OR (head = 1 AND settled_at IS NULL)),
    CONSTRAINT queue_fetch_has_resource CHECK (kind = 'write' OR resource IS NOT NULL),
    CONSTRAINT queue_error_is_json CHECK (error IS NULL OR json_valid(error)),
    CONSTRAINT queue_headers_is_json CHECK (json_valid(headers))
) STRICT;

CREATE UNIQUE INDEX siding_queue_fetch ON siding_queue (resource, parameters)
    WHERE kind = 'fetch' AND settled_at IS NULL;
CREATE INDEX siding_queue_due ON siding_queue (not_before, seq) WHERE state = 'queued' AND head = 1;
CREATE INDEX siding_queue_lane ON siding_queue (lane, position) WHERE settled_at IS NULL;
CREATE INDEX siding_queue_owner ON siding_queue (owner) WHERE owner IS NOT NULL;
CREATE INDEX siding_queue_settled ON siding_queue (settled_at) WHERE settled_at IS NOT NULL;

CREATE TABLE siding_attempts (
    seq    INTEGER PRIMARY KEY,
    entry  TEXT    NOT NULL REFERENCES siding_queue (id) ON DELETE CASCADE,
    at     INTEGER NOT NULL,
    who    TEXT    NOT NULL,
    event  TEXT    NOT NULL,
    detail TEXT
) STRICT;

CREATE INDEX siding_attempts_entry ON siding_attempts (entry, seq);

CREATE TABLE siding_sources (
    name       TEXT    PRIMARY KEY,
    gate       TEXT,
    gate_until INTEGER,
    gate_note  TEXT,
    changed_at INTEGER NOT NULL,
    CONSTRAINT sources_gate CHECK (gate IN ('offline', 'retry_after', 'sign_in')),
    CONSTRAINT sources_gate_has_end CHECK (gate IS NOT NULL OR gate_until IS NULL)
) STRICT, WITHOUT ROWID;
