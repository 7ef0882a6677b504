-- Cursors: how far a resource has come, for listings that ask for changes only.
--
-- siding_cursors   the value from which the next listing begins; it moves in the transaction that saves the page which it
--                  vouches for, and goes with the definition under which it was found.
-- siding_listings  `cursor_from` is the value that the listing began at (null: it saw all there is), `cursor_reached` the
--                  furthest value of its pages so far, and `cursor_moves` whether its end moves the cursor.

CREATE TABLE siding_cursors (
    resource INTEGER PRIMARY KEY REFERENCES siding_resources (id),
    value    TEXT    NOT NULL,
    moved_at INTEGER NOT NULL,
    run      INTEGER
) STRICT;

ALTER TABLE siding_listings ADD COLUMN cursor_from TEXT;
ALTER TABLE siding_listings ADD COLUMN cursor_reached TEXT;
ALTER TABLE siding_listings ADD COLUMN cursor_moves INTEGER NOT NULL DEFAULT 0;
