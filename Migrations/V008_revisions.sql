-- Revisions: what changed since somebody last looked.
--
-- siding_resources.revision  grows by one with each transaction that writes records of the resource.
-- siding_records.revision    the resource's revision at which the record was last written; unchanged records keep theirs.
--                            There is no index on it: one would make every write dearer, and a look at what changed is one
--                            scan of the resource, made only when its revision has grown.

ALTER TABLE siding_resources ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE siding_records ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
