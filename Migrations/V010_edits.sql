-- Edits: what the user's own writes do to the records that they are about, until the origin has answered.
--
-- siding_queue      `edit` is the JSON of what the write does to a record: of `resource`, under `record_key`. A record's edits
--                   are laid over each other by `edit_order`, which the edited form of an entry inherits. `temporary_id` is
--                   the key of a record that does not exist at the origin yet; `real_id` is what took its place, as JSON.
--                   `base` is what the origin had when the edit was made, kept from the moment at which it has something
--                   else; NULL means that it still has that, an empty blob that it had nothing.
-- siding_bases      one row per record with unsettled edits: the origin's own bytes, from which the record is made anew
--                   whenever they or the edits change. `body` is NULL where the origin is not known to have the record.
--                   `etag` is the validator that came with exactly these bytes, where one did.
-- siding_records    `pending` counts the record's unsettled edits. A record that is to be deleted is a tombstone meanwhile.
--                   What was only ever ours and is gone, a temporary id say, leaves a tombstone whose body is null.
--                   `etag` is kept for the next edit, as long as the body is what it came with.
-- siding_resources  `edited` is 1 from the first edit on: from then on the resource's view shows `pending`.

ALTER TABLE siding_queue ADD COLUMN edit TEXT CONSTRAINT queue_edit_is_json CHECK (edit IS NULL OR json_valid(edit));
ALTER TABLE siding_queue ADD COLUMN record_key TEXT;
ALTER TABLE siding_queue ADD COLUMN edit_order INTEGER;
ALTER TABLE siding_queue ADD COLUMN temporary_id TEXT;
ALTER TABLE siding_queue ADD COLUMN real_id TEXT;
ALTER TABLE siding_queue ADD COLUMN base BLOB;

CREATE INDEX siding_queue_edits ON siding_queue (resource, record_key, edit_order)
    WHERE edit IS NOT NULL AND settled_at IS NULL;
CREATE INDEX siding_queue_temporary ON siding_queue (temporary_id) WHERE temporary_id IS NOT NULL;

ALTER TABLE siding_records ADD COLUMN pending INTEGER NOT NULL DEFAULT 0;
ALTER TABLE siding_records ADD COLUMN etag TEXT;
ALTER TABLE siding_resources ADD COLUMN edited INTEGER NOT NULL DEFAULT 0;

CREATE TABLE siding_bases (
    id         INTEGER PRIMARY KEY,
    resource   INTEGER NOT NULL REFERENCES siding_resources (id),
    key        TEXT    NOT NULL,
    body       TEXT,
    deleted_at INTEGER,
    etag       TEXT,
    CONSTRAINT bases_deleted_has_body CHECK (deleted_at IS NULL OR body IS NOT NULL)
) STRICT;

CREATE UNIQUE INDEX siding_bases_key ON siding_bases (resource, key);
