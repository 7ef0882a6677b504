-- Answers: what is kept of them so that a 304 is not taken to say more than it does, and so that a listing that is gone on
-- with knows what its first page said.
--
-- siding_pages     `lead`: where the way to the next page was found when the page was last had whole, in 'header' fields, in
--                  the 'body', or 'nowhere'. `read_at`: when that was. NULL for pages from before.
-- siding_listings  `fresh_until` and `not_before` as the listing's first page said them; they go to siding_resources with its
--                  end.
-- siding_resources `asks_anew`: a person has set the cursor since the last complete listing, which is no reason not to ask.

ALTER TABLE siding_pages ADD COLUMN lead TEXT
    CONSTRAINT pages_lead CHECK (lead IS NULL OR lead IN ('header', 'body', 'nowhere'));
ALTER TABLE siding_pages ADD COLUMN read_at INTEGER;
ALTER TABLE siding_listings ADD COLUMN fresh_until INTEGER;
ALTER TABLE siding_listings ADD COLUMN not_before INTEGER;
ALTER TABLE siding_resources ADD COLUMN asks_anew INTEGER NOT NULL DEFAULT 0;
