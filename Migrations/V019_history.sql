-- History and provenance: what records were before, and where their bodies came from.
--
-- siding_history    one row per earlier version of a record, of resources that keep them: body, tombstone and count of
--                   unsettled edits as they were shown from `valid_from` until just before `valid_to`. `run` and `request`
--                   are those of the version. The present version is the row in siding_records; it began at `changed_at`, as
--                   a tombstone at `deleted_at` where that is later. The rows are written by a TEMP trigger of each
--                   connection that writes, so that no statement which changes a record can forget them.
-- siding_requests   where bodies came from: one row per page that wrote a record (`cause` page), per answer to the user's own
--                   write (write, delete; `entry` names it in the queue), per quarantined record that was taken in after all
--                   (quarantine). `run` is the run that saved it, NULL for a write. `scope` and
--                   `sent` are those of the page. Rows that nothing refers to go when a
--                   listing is complete and many have come since the last look; `siding_resources.requests_kept` counts what
--                   that look left.
-- siding_records    `request` is where the body came from; NULL with `run` 0 for what a program saved here, NULL with another
--                   run for what was written before this was kept.
-- siding_bases      `request` is the same for the origin's own bytes.
-- siding_resources  `history_since` is the moment from which on every version of every record is kept, moved on by
--                   retention; NULL where none are. `history_pruned` is the newest version that retention has looked at.
--
-- Times are wall-clock microseconds since 1970 UTC.

CREATE TABLE siding_history (
    id         INTEGER PRIMARY KEY,
    resource   INTEGER NOT NULL,
    key        TEXT    NOT NULL,
    body       TEXT    NOT NULL,
    deleted_at INTEGER,
    pending    INTEGER NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to   INTEGER NOT NULL,
    run        INTEGER NOT NULL,
    request    INTEGER,
    CONSTRAINT history_span CHECK (valid_from <= valid_to)
) STRICT;

CREATE INDEX siding_history_key ON siding_history (resource, key, valid_to);
CREATE INDEX siding_history_end ON siding_history (resource, valid_to);

CREATE TABLE siding_requests (
    id            INTEGER PRIMARY KEY,
    resource      INTEGER NOT NULL,
    cause         TEXT    NOT NULL,
    run           INTEGER,
    method        TEXT    NOT NULL,
    url           TEXT    NOT NULL,
    scope         TEXT    NOT NULL DEFAULT '',
    sent          TEXT    NOT NULL DEFAULT '',
    page          INTEGER,
    status        INTEGER,
    etag          TEXT,
    last_modified TEXT,
    at            INTEGER NOT NULL,
    entry         TEXT,
    CONSTRAINT requests_cause CHECK (cause IN ('page', 'write', 'delete', 'quarantine')),
    CONSTRAINT requests_write_has_entry CHECK ((cause IN ('write', 'delete')) = (entry IS NOT NULL))
) STRICT;

CREATE INDEX siding_requests_resource ON siding_requests (resource);

ALTER TABLE siding_records ADD COLUMN request INTEGER;
ALTER TABLE siding_bases ADD COLUMN request INTEGER;
ALTER TABLE siding_resources ADD COLUMN history_since INTEGER;
ALTER TABLE siding_resources ADD COLUMN history_pruned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE siding_resources ADD COLUMN requests_kept INTEGER NOT NULL DEFAULT 0;
