-- Leases: who works on what, so that two processes never do the same at once.
--
-- siding_leases  one row per name that was ever leased ("resource:posts"). `owner` names a lock file beside the database
--                on which the holder keeps a flock(2) for its lifetime; who can take that lock knows that the holder is
--                dead. `token` grows with each acquisition: a commit under an older token changes nothing (fencing).

CREATE TABLE siding_leases (
    name        TEXT    PRIMARY KEY,
    owner       TEXT,
    holder      TEXT,
    token       INTEGER NOT NULL,
    acquired_at INTEGER,
    CONSTRAINT leases_held_says_who CHECK ((owner IS NULL) = (holder IS NULL) AND (owner IS NULL) = (acquired_at IS NULL)),
    CONSTRAINT leases_holder_is_json CHECK (holder IS NULL OR json_valid(holder))
) STRICT, WITHOUT ROWID;
