-- Runs: what each sync did.
--
-- siding_runs           one row per run. `outcome` is null while it runs; a run whose process died keeps the null until the
--                       next run calls it 'interrupted'.
-- siding_run_resources  the counters of each resource in a run, moved in the transactions that save its pages, so that they
--                       are never ahead of the rows.

CREATE TABLE siding_runs (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    command    TEXT    NOT NULL,
    owner      TEXT    NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,
    outcome    TEXT,
    CONSTRAINT runs_outcome CHECK (
        outcome IN ('saved', 'not_modified', 'queued', 'partial', 'skipped', 'failed', 'interrupted')
    ),
    CONSTRAINT runs_ended_has_outcome CHECK ((ended_at IS NULL) = (outcome IS NULL))
) STRICT;

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
    PRIMARY KEY (run, resource),
    CONSTRAINT run_resources_outcome CHECK (
        outcome IN ('saved', 'not_modified', 'queued', 'skipped', 'failed')
    ),
    CONSTRAINT run_resources_error_is_json CHECK (error IS NULL OR json_valid(error)),
    CONSTRAINT run_resources_notes_is_json CHECK (json_valid(notes))
) STRICT, WITHOUT ROWID;
