-- Columns: what is declared of how records are looked at, and what they have looked like.
--
-- siding_resources      `shape` is the JSON of what the config declares: columns, children, contract; NULL for nothing.
--                       `shape_made` names the SQLite by which views and indexes were made: another one may read a value
--                       differently, so they are made anew.
-- siding_child_columns  the columns of each view over a nested array that declares none, in the order in which its
--                       elements' members were first seen.
-- siding_fields         the members of the resource's records: `kinds` are the JSON types that they were seen with (1 string,
--                       2 number, 4 boolean, 8 object, 16 array), `run` is the run that saw the member first, `kinds_run`
--                       the one that saw its newest type. Without a contract one record is looked at for each set of members.
-- siding_quarantine     `key` is the record's key where it has one; `code` names the rule that it broke; `seen_at` is when
--                       the origin last sent these bytes, `created_at` when it first did.

ALTER TABLE siding_resources ADD COLUMN shape TEXT
    CONSTRAINT resources_shape_is_json CHECK (shape IS NULL OR json_valid(shape));
ALTER TABLE siding_resources ADD COLUMN shape_made TEXT;

CREATE TABLE siding_child_columns (
    resource INTEGER NOT NULL REFERENCES siding_resources (id),
    child    TEXT    NOT NULL,
    ordinal  INTEGER NOT NULL,
    member   TEXT    NOT NULL,
    name     TEXT    NOT NULL,
    PRIMARY KEY (resource, child, ordinal),
    CONSTRAINT child_columns_member_unique UNIQUE (resource, child, member)
) STRICT, WITHOUT ROWID;

CREATE TABLE siding_fields (
    resource  INTEGER NOT NULL REFERENCES siding_resources (id),
    name      TEXT    NOT NULL,
    kinds     INTEGER NOT NULL,
    run       INTEGER NOT NULL,
    kinds_run INTEGER NOT NULL,
    PRIMARY KEY (resource, name)
) STRICT, WITHOUT ROWID;

-- Seen at some time; what they were is not known.
INSERT INTO siding_fields (resource, name, kinds, run, kinds_run) SELECT resource, member, 0, 0, 0 FROM siding_columns;

ALTER TABLE siding_quarantine ADD COLUMN key TEXT;
ALTER TABLE siding_quarantine ADD COLUMN code TEXT NOT NULL DEFAULT '';
ALTER TABLE siding_quarantine ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;
UPDATE siding_quarantine SET seen_at = created_at;
