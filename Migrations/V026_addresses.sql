-- Addresses: of a resource that has one listing for each record of another one, the record decides where a listing begins.
--
-- siding_listings   `root` is the first page as it is asked for all there is; null where the config alone decides, and for
--                   listings from before. Where it changes, the cursor and what is left of the listing belong elsewhere.

ALTER TABLE siding_listings ADD COLUMN root TEXT;
