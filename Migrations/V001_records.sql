-- Records: what was fetched, and how it is looked at.
--
-- siding_resources   one row per resource that was ever synced. `definition` is the canonical JSON of everything that
--                    decides which records a listing yields; when it changes, listings and validators are discarded.
--                    `key_type` is fixed by the first record.
-- siding_records     one row per record: the JSON text byte for byte as it came, under its key. Unchanged records are
--                    not written. A tombstone keeps the body and has `deleted_at`. `run` is the run that last wrote it.
--                    A rowid table with a unique index: random keys cost a WITHOUT ROWID table two to three times as much.
-- siding_columns     the columns of each resource's view, in the order in which their members were first seen.
-- siding_quarantine  records that broke their contract: the bytes, the reason, and where they were found.
--
-- Times are wall-clock microseconds since 1970 UTC.

CREATE TABLE siding_resources (
    id                 INTEGER PRIMARY KEY,
    name               TEXT    NOT NULL CONSTRAINT resources_name_unique UNIQUE,
    source             TEXT    NOT NULL,
    definition         TEXT    NOT NULL,
    definition_version INTEGER NOT NULL DEFAULT 1,
    key_type           TEXT,
    created_at         INTEGER NOT NULL,
    completed_at       INTEGER,
    completed_run      INTEGER,
    CONSTRAINT resources_name_not_reserved CHECK (name NOT LIKE 'siding\_%' ESCAPE '\' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'),
    CONSTRAINT resources_definition_is_json CHECK (json_valid(definition)),
    CONSTRAINT resources_key_type CHECK (key_type IN ('string', 'integer', 'composite'))
) STRICT;

CREATE TABLE siding_records (
    id            INTEGER PRIMARY KEY,
    resource      INTEGER NOT NULL,
    key           TEXT    NOT NULL,
    body          TEXT    NOT NULL,
    first_seen_at INTEGER NOT NULL,
    changed_at    INTEGER NOT NULL,
    run           INTEGER NOT NULL,
    deleted_at    INTEGER
) STRICT;

CREATE UNIQUE INDEX siding_records_key ON siding_records (resource, key);

CREATE TABLE siding_columns (
    resource INTEGER NOT NULL REFERENCES siding_resources (id),
    ordinal  INTEGER NOT NULL,
    member   TEXT    NOT NULL,
    name     TEXT    NOT NULL,
    PRIMARY KEY (resource, ordinal),
    CONSTRAINT columns_member_unique UNIQUE (resource, member)
) STRICT, WITHOUT ROWID;

CREATE TABLE siding_quarantine (
    id         INTEGER PRIMARY KEY,
    resource   INTEGER NOT NULL REFERENCES siding_resources (id),
    run        INTEGER NOT NULL,
    url        TEXT    NOT NULL,
    position   INTEGER NOT NULL,
    reason     TEXT    NOT NULL,
    body       BLOB    NOT NULL,
    created_at INTEGER NOT NULL,
    CONSTRAINT quarantine_position_unique UNIQUE (resource, url, position)
) STRICT;
