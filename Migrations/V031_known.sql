-- Known: whether all records are here that a resource has at the origin. A record that no parent's listing shows may be with a
-- parent that is not here, so absence proves nothing then.
--
-- siding_listings   `knows_all`: whether all records are known once the listing is complete. It begins at the very beginning, or
--                   goes on where all was known; a page without a list of records ends that.
-- siding_resources  `known_at`: when a listing, or a round, last left all records known; null where none did since the definition
--                   changed or the cursor was set by hand. Records in quarantine are looked for when it is asked.

ALTER TABLE siding_listings ADD COLUMN knows_all INTEGER NOT NULL DEFAULT 0;
ALTER TABLE siding_resources ADD COLUMN known_at INTEGER;
