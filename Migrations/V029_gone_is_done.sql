-- What is gone already: a write that removes something says for itself whether 404 and 410 mean that it is done, whatever its
-- method, and whether or not records are kept here.
--
-- siding_queue  `gone_is_done` is 1 where they do, 0 where they refuse the write; NULL where nothing is declared: then they
--               do for a DELETE, and for an edit that deletes.

ALTER TABLE siding_queue ADD COLUMN gone_is_done INTEGER
    CONSTRAINT queue_gone_is_done CHECK (gone_is_done IN (0, 1));

UPDATE siding_queue SET gone_is_done = edit ->> '$.gone_is_done' WHERE edit ->> '$.change' = 'delete';
