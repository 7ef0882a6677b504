-- Changes: what became of the records of a resource since a run ended.
--
-- siding_runs       `revisions` is a JSON object: the revision of each resource, by the resource's id, when the run ended.
--                   While it runs, and of a run whose process died, it is from when the run began: what changed later must
--                   not be missed. NULL for runs that are older than this column.
-- siding_records    `lives_since` is the resource's revision at which the record's present or last life began: its insertion,
--                   or its last return from a tombstone. 0 for what was stored before this column.
-- siding_resources  `forgotten` is the newest revision whose tombstone was removed: what was deleted since an older one cannot
--                   be told any more.

ALTER TABLE siding_runs ADD COLUMN revisions TEXT
    CONSTRAINT runs_revisions_is_json CHECK (revisions IS NULL OR json_valid(revisions));
ALTER TABLE siding_records ADD COLUMN lives_since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE siding_resources ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
