-- Listings: how far each one got, and what makes an unchanged page cheap.
--
-- siding_listings  the newest listing of each resource. While it is open, `next_url` is the page at which it goes on: the
--                  checkpoint, moved in the transaction that saves the page before it. `paging` is what was declared or
--                  detected.
-- siding_pages     one row per page whose records are stored: its validators (RFC 9110 §8.8) and what a 304 does not
--                  repeat, namely the next page and the number of records. `listing` is the last listing that saw it; a
--                  complete listing removes the pages that it did not see.

CREATE TABLE siding_listings (
    resource      INTEGER PRIMARY KEY REFERENCES siding_resources (id),
    listing       INTEGER NOT NULL,
    state         TEXT    NOT NULL,
    paging        TEXT,
    next_url      TEXT,
    next_number   INTEGER,
    next_offset   INTEGER,
    pages         INTEGER NOT NULL DEFAULT 0,
    records       INTEGER NOT NULL DEFAULT 0,
    incomplete    TEXT,
    started_at    INTEGER NOT NULL,
    checkpoint_at INTEGER NOT NULL,
    run           INTEGER NOT NULL,
    CONSTRAINT listings_state CHECK (state IN ('open', 'complete', 'incomplete')),
    CONSTRAINT listings_open_has_next CHECK ((state = 'open') = (next_url IS NOT NULL)),
    CONSTRAINT listings_incomplete_says_why CHECK ((state = 'incomplete') = (incomplete IS NOT NULL))
) STRICT;

CREATE TABLE siding_pages (
    resource      INTEGER NOT NULL REFERENCES siding_resources (id),
    url           TEXT    NOT NULL,
    listing       INTEGER NOT NULL,
    status        INTEGER NOT NULL,
    etag          TEXT,
    last_modified TEXT,
    next_url      TEXT,
    next_number   INTEGER,
    next_offset   INTEGER,
    records       INTEGER NOT NULL,
    fetched_at    INTEGER NOT NULL,
    PRIMARY KEY (resource, url)
) STRICT, WITHOUT ROWID;
