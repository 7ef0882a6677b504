-- What a page that answers 304 cannot show again: it has no records in hand.
--
-- siding_pages     `furthest`: the value of the resource's cursor that is furthest on among its records, so that a listing of the
--                  newest first ends there also where nothing changed. `digest`: of the page's records, so that pages that are
--                  the same are seen to be. NULL where there is none, and for pages from before.
-- siding_listings  `cursor_waits`: its pages came out of order, so that only its end moves the cursor.
--
-- Pages of resources that ask for changes are asked for whole once, as nothing is known of what they reach to.

ALTER TABLE siding_pages ADD COLUMN furthest TEXT;
ALTER TABLE siding_pages ADD COLUMN digest INTEGER;
ALTER TABLE siding_listings ADD COLUMN cursor_waits INTEGER NOT NULL DEFAULT 0;

UPDATE siding_pages SET etag = NULL, last_modified = NULL
WHERE (resource, scope) IN (SELECT resource, scope FROM siding_cursors);
UPDATE siding_listings SET cursor_waits = 1
WHERE state = 'open' AND next_number > 1 AND cursor_reached IS NULL;
