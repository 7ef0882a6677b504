-- Scopes: a resource can have several listings, one for each record of another one, and pages that are asked for with a body.
--
-- siding_listings    one row per resource and scope. `scope` is the key of the record that the listing is about, '' where
--                    the resource has one listing only. `next_sent` is the body that the next page is asked for with, ''
--                    for none.
-- siding_pages       `scope` as above; `sent` is the body that the page was asked for with: searches by POST share a URL.
-- siding_cursors     one row per resource and scope.
-- siding_quarantine  `scope` and `sent` are those of the page on which the record was found.
-- siding_queue       a fetch's `parameters` are its scope, and its `body` is what the page is asked for with.

ALTER TABLE siding_listings RENAME TO siding_listings_old;
CREATE TABLE siding_listings (
    resource       INTEGER NOT NULL REFERENCES siding_resources (id),
    scope          TEXT    NOT NULL DEFAULT '',
    listing        INTEGER NOT NULL,
    state          TEXT    NOT NULL,
    paging         TEXT,
    next_url       TEXT,
    next_sent      TEXT    NOT NULL DEFAULT '',
    next_number    INTEGER,
    next_offset    INTEGER,
    pages          INTEGER NOT NULL DEFAULT 0,
    records        INTEGER NOT NULL DEFAULT 0,
    incomplete     TEXT,
    started_at     INTEGER NOT NULL,
    checkpoint_at  INTEGER NOT NULL,
    run            INTEGER NOT NULL,
    cursor_from    TEXT,
    cursor_reached TEXT,
    cursor_moves   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (resource, scope),
    CONSTRAINT listings_state CHECK (state IN ('open', 'complete', 'incomplete')),
    CONSTRAINT listings_open_has_next CHECK ((state = 'open') = (next_url IS NOT NULL)),
    CONSTRAINT listings_incomplete_says_why CHECK ((state = 'incomplete') = (incomplete IS NOT NULL))
) STRICT;
INSERT INTO siding_listings (resource, listing, state, paging, next_url, next_number, next_offset, pages, records,
    incomplete, started_at, checkpoint_at, run, cursor_from, cursor_reached, cursor_moves)
SELECT resource, listing, state, paging, next_url, next_number, next_offset, pages, records, incomplete, started_at,
    checkpoint_at, run, cursor_from, cursor_reached, cursor_moves
FROM siding_listings_old;
DROP TABLE siding_listings_old;

ALTER TABLE siding_pages RENAME TO siding_pages_old;
CREATE TABLE siding_pages (
    resource      INTEGER NOT NULL REFERENCES siding_resources (id),
    scope         TEXT    NOT NULL DEFAULT '',
    url           TEXT    NOT NULL,
    sent          TEXT    NOT NULL DEFAULT '',
    listing       INTEGER NOT NULL,
    status        INTEGER NOT NULL,
    etag          TEXT,
    last_modified TEXT,
    next_url      TEXT,
    next_sent     TEXT    NOT NULL DEFAULT '',
    next_number   INTEGER,
    next_offset   INTEGER,
    records       INTEGER NOT NULL,
    fetched_at    INTEGER NOT NULL,
    PRIMARY KEY (resource, scope, url, sent)
) STRICT, WITHOUT ROWID;
INSERT INTO siding_pages (resource, url, listing, status, etag, last_modified, next_url, next_number, next_offset,
    records, fetched_at)
SELECT resource, url, listing, status, etag, last_modified, next_url, next_number, next_offset, records, fetched_at
FROM siding_pages_old;
DROP TABLE siding_pages_old;

ALTER TABLE siding_cursors RENAME TO siding_cursors_old;
CREATE TABLE siding_cursors (
    resource INTEGER NOT NULL REFERENCES siding_resources (id),
    scope    TEXT    NOT NULL DEFAULT '',
    value    TEXT    NOT NULL,
    moved_at INTEGER NOT NULL,
    run      INTEGER,
    PRIMARY KEY (resource, scope)
) STRICT, WITHOUT ROWID;
INSERT INTO siding_cursors (resource, value, moved_at, run) SELECT resource, value, moved_at, run FROM siding_cursors_old;
DROP TABLE siding_cursors_old;

ALTER TABLE siding_quarantine RENAME TO siding_quarantine_old;
CREATE TABLE siding_quarantine (
    id         INTEGER PRIMARY KEY,
    resource   INTEGER NOT NULL REFERENCES siding_resources (id),
    scope      TEXT    NOT NULL DEFAULT '',
    run        INTEGER NOT NULL,
    url        TEXT    NOT NULL,
    sent       TEXT    NOT NULL DEFAULT '',
    position   INTEGER NOT NULL,
    reason     TEXT    NOT NULL,
    body       BLOB    NOT NULL,
    created_at INTEGER NOT NULL,
    key        TEXT,
    code       TEXT    NOT NULL DEFAULT '',
    seen_at    INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT quarantine_position_unique UNIQUE (resource, scope, url, sent, position)
) STRICT;
INSERT INTO siding_quarantine (id, resource, run, url, position, reason, body, created_at, key, code, seen_at)
SELECT id, resource, run, url, position, reason, body, created_at, key, code, seen_at FROM siding_quarantine_old;
DROP TABLE siding_quarantine_old;
