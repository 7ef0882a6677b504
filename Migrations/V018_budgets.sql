-- Budgets: how many requests went to a source lately, for limits that all processes share.
--
-- siding_budgets       one row per limit that was ever asked: a pattern of paths and a window. `held` is the number of its
--                      slots, kept beside them so that nobody counts thousands. `remaining` and `reset_at` are what the
--                      origin said is left, less what went out since; they mean nothing once reset_at is over.
-- siding_budget_slots  one row per request that counts, from before it is sent until `free_at`. While it is under way
--                      (`answered` 0) that is the latest moment at which the origin can count it, plus the window, so that
--                      the slot of a process that died outlasts the request; the answer makes it the answer plus the window.
--                      Ids are never given twice: what is settled late must not be another's slot.

CREATE TABLE siding_budgets (
    id        INTEGER PRIMARY KEY,
    source    TEXT    NOT NULL,
    match     TEXT    NOT NULL,
    window_us INTEGER NOT NULL,
    rate      INTEGER,
    held      INTEGER NOT NULL DEFAULT 0,
    remaining INTEGER,
    reset_at  INTEGER,
    CONSTRAINT budgets_unique UNIQUE (source, match, window_us),
    CONSTRAINT budgets_held CHECK (held >= 0)
) STRICT;

CREATE TABLE siding_budget_slots (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    budget   INTEGER NOT NULL REFERENCES siding_budgets (id) ON DELETE CASCADE,
    taken_at INTEGER NOT NULL,
    answered INTEGER NOT NULL DEFAULT 0,
    free_at  INTEGER NOT NULL,
    CONSTRAINT budget_slots_answered CHECK (answered IN (0, 1))
) STRICT;

CREATE INDEX siding_budget_slots_free ON siding_budget_slots (budget, answered, free_at);
