-- Rounds: a resource that has one listing for each record of another one passes over those records, round by round.
--
-- siding_resources   `parent` is the resource whose records the listings are about; null where there is one listing only.
-- siding_rounds      one row per such resource: the round under way, or the last one. `round` grows with each. `takes_all`
--                    says that the round asks for every parent, whether it changed or not.
-- siding_listings    `round` is the round that last asked for the scope, and `parent_revision` the parent's revision as it
--                    was when the listing began: what is written of the parent later makes the listing due again.
-- siding_records     `scope` is the key of the parent in whose listing the record was seen last; the view shows it as
--                    siding_parent.
-- siding_run_resources  may come to 'partial': some of its parents failed, the rest is saved.

ALTER TABLE siding_resources ADD COLUMN parent TEXT;
ALTER TABLE siding_listings ADD COLUMN round INTEGER;
ALTER TABLE siding_listings ADD COLUMN parent_revision INTEGER;
ALTER TABLE siding_records ADD COLUMN scope TEXT;

CREATE TABLE siding_rounds (
    resource   INTEGER NOT NULL PRIMARY KEY REFERENCES siding_resources (id),
    round      INTEGER NOT NULL,
    state      TEXT    NOT NULL,
    takes_all  INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,
    run        INTEGER NOT NULL,
    CONSTRAINT rounds_state CHECK (state IN ('open', 'complete', 'incomplete')),
    CONSTRAINT rounds_open_has_no_end CHECK ((state = 'open') = (ended_at IS NULL))
) STRICT;

ALTER TABLE siding_run_resources RENAME TO siding_run_resources_old;
CREATE TABLE siding_run_resources (
    run          INTEGER NOT NULL REFERENCES siding_runs (id),
    resource     TEXT    NOT NULL,
    outcome      TEXT,
    pages        INTEGER NOT NULL DEFAULT 0,
    requests     INTEGER NOT NULL DEFAULT 0,
    not_modified INTEGER NOT NULL DEFAULT 0,
    inserted     INTEGER NOT NULL DEFAULT 0,
    updated      INTEGER NOT NULL DEFAULT 0,
    unchanged    INTEGER NOT NULL DEFAULT 0,
    stale        INTEGER NOT NULL DEFAULT 0,
    deleted      INTEGER NOT NULL DEFAULT 0,
    quarantined  INTEGER NOT NULL DEFAULT 0,
    duplicates   INTEGER NOT NULL DEFAULT 0,
    bytes        INTEGER NOT NULL DEFAULT 0,
    duration_us  INTEGER NOT NULL DEFAULT 0,
    entry        TEXT,
    error        TEXT,
    notes        TEXT    NOT NULL DEFAULT '[]',
    withheld     INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run, resource),
    CONSTRAINT run_resources_outcome CHECK (
        outcome IN ('saved', 'not_modified', 'queued', 'partial', 'skipped', 'failed')
    ),
    CONSTRAINT run_resources_error_is_json CHECK (error IS NULL OR json_valid(error)),
    CONSTRAINT run_resources_notes_is_json CHECK (json_valid(notes))
) STRICT, WITHOUT ROWID;
INSERT INTO siding_run_resources (run, resource, outcome, pages, requests, not_modified, inserted, updated, unchanged, stale,
    deleted, quarantined, duplicates, bytes, duration_us, entry, error, notes,
    withheld)
SELECT run, resource, outcome, pages, requests, not_modified, inserted, updated, unchanged, stale,
    deleted, quarantined, duplicates, bytes, duration_us, entry, error, notes,
    withheld
FROM siding_run_resources_old;
DROP TABLE siding_run_resources_old;
