-- Deletions: which records each page shows, so that it is known which ones no page shows any more.
--
-- siding_resources      `tracks_members` says whether that is kept: where the config has absence prove deletion. `redefined_run`
--                       is the run in which the definition changed last.
-- siding_pages          `members` are the row ids of the records that the page shows: ascending, each as the difference to the
--                       one before it, in LEB128. NULL where not all of them are known: a record had no key that could be
--                       read, the listing asked for changes only, or they are not kept.
-- siding_listings       `was_single` says whether the last complete listing had one page only.
-- siding_departures     records that pages of this scope showed once and do not show now, packed in the same way: what a
--                       complete listing looks for on all of its pages.
-- siding_absences       records that the last complete listing of this scope lacked, and that are not deleted: once is no proof,
--                       or there were too many at once, or edits lie on them.
-- siding_tombstones     what each run deleted, so that it can be taken back; `at` is the tombstone's `deleted_at`.
-- siding_run_resources  `withheld` counts records that are gone, and were left because they were too many.

ALTER TABLE siding_resources ADD COLUMN tracks_members INTEGER NOT NULL DEFAULT 0;
ALTER TABLE siding_resources ADD COLUMN redefined_run INTEGER;
ALTER TABLE siding_listings ADD COLUMN was_single INTEGER NOT NULL DEFAULT 0;
ALTER TABLE siding_pages ADD COLUMN members BLOB;
ALTER TABLE siding_run_resources ADD COLUMN withheld INTEGER NOT NULL DEFAULT 0;

CREATE TABLE siding_departures (
    id       INTEGER PRIMARY KEY,
    resource INTEGER NOT NULL REFERENCES siding_resources (id),
    scope    TEXT    NOT NULL,
    members  BLOB    NOT NULL
) STRICT;

CREATE INDEX siding_departures_scope ON siding_departures (resource, scope);

CREATE TABLE siding_absences (
    resource INTEGER NOT NULL REFERENCES siding_resources (id),
    scope    TEXT    NOT NULL,
    record   INTEGER NOT NULL,
    PRIMARY KEY (resource, scope, record)
) STRICT, WITHOUT ROWID;

CREATE TABLE siding_tombstones (
    run    INTEGER NOT NULL,
    record INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    PRIMARY KEY (run, record)
) STRICT, WITHOUT ROWID;
