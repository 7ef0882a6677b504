-- Freshness: how soon asking for a resource again is pointless, as the first page of its last complete listing said it.
--
-- siding_resources   `fresh_until`: the origin calls what it sent current until then (Cache-Control, Expires). `not_before`:
--                    it asks not to be asked before (X-Poll-Interval). Both NULL where it did not say.

ALTER TABLE siding_resources ADD COLUMN fresh_until INTEGER;
ALTER TABLE siding_resources ADD COLUMN not_before INTEGER;
