-- The schema of a Siding database, table by table. All tables are plain and STRICT; any SQLite tool can read them.
--
-- Times are wall-clock microseconds since 1970 UTC. `scope` is the key of the parent record that a listing is about, '' for a
-- resource with one listing. `sent` is the body of a request, '' for none: searches by POST share a URL.
--
-- RESOURCES AND RECORDS
--
-- siding_resources       one row per resource that was ever synced. `definition` is the canonical JSON of everything that
--                        decides which records a listing yields; when it changes, listings and validators are discarded.
--                        `parent` is the resource whose records the listings are about. `schema` is the JSON of what the config
--                        declares of the records (columns, children, contract, filter), `schema_made` the SQLite version and
--                        the expressions of its view. `key_type` is fixed by the first record; `layout` is how its table stores
--                        the keys, 'rowid' or 'indexed' (NULL: there is no table yet). Ids are never reused; with a row all go
--                        that refer to it (ON DELETE CASCADE). `edited` is 1 from the first own edit on: the view then counts
--                        pending edits. `revision` grows by one with each transaction that writes a record of the resource;
--                        `forgotten` is the newest revision whose tombstone was removed. `reconciled_revision` is the revision
--                        at which the records were last compared with the pages to find missing ones: -1 if they have to be
--                        compared again, NULL if no listing under this definition was compared, or absence does not count.
--                        `null_filtered` is 1 while a page shows a record for which the filter is NULL. Rows from
--                        `rewrite_from` on may still hold members that the config drops, and lack the values of stored columns
--                        (NULL: none). `history_since` is the moment from which on every version is kept (NULL for none),
--                        `requests` the newest id of `siding_provenance`. `retention` is the JSON of how far pruning went:
--                        `history_pruned` is the newest version that it has examined, and with the id `requests_due` unused
--                        rows of `siding_provenance` are looked for again (null: none yet). `listed` is the JSON of what is
--                        known of the listings: `completed_at` and `completed_run`, the last complete listing or pass;
--                        `fresh_until` (Cache-Control, Expires) and `not_before` (X-Poll-Interval), as its first page reported
--                        them; `cursor_was_set`, 1 if an operator set the cursor since then; `all_listed_at`, the end of the
--                        last complete listing or pass that, with those before it, asked for every record; `unlisted`, how many
--                        stored records the last such listing lacks, where `deletes` does not count them. `text_index` is the
--                        JSON of the full-text index (NULL: none), the FTS5 table siding_text_N over the view
--                        siding_text_N_source: the indexed paths, and the SQLite version that built it. The index is rebuilt if
--                        they or the version change, since versions read some values differently. Rows from `fill_from` on are
--                        still to be indexed (null: none).
-- siding_records_NAME    the records of the resource NAME: one table for each resource, made with the first record that is
--                        saved, so it is not below (Sources/Siding/Records/Table makes it). One row per record: the JSON text
--                        `body` byte for byte as received, under its `key`. Where the keys are integers the key is the rowid
--                        (`key INTEGER PRIMARY KEY`); else `id` is the rowid, and `key`, of any type, has a unique index,
--                        siding_key_NAME. Unchanged records are not written. A tombstone keeps the body and has `deleted_at`, by
--                        which the index siding_deleted_NAME finds it.
--                        `run` wrote the row last, `revision` is the resource's revision then, `lives_since` the revision at
--                        which its present life began. An index on `revision`, siding_changes_NAME, is made once a program's
--                        stream of changes has found some: it slows every write, and who asks less often reads changes in one
--                        scan. `pending` counts pending edits. `etag` belongs to exactly this body.
--                        `cause` is what wrote the row last: a 'page' (which may mark the record as deleted), a record saved
--                        from the 'quarantine', the answer to an own 'write', a program that saved or deleted it here
--                        ('local'), a pending own 'edit'; or what deleted the record: it was 'missing' at the origin,
--                        'filtered' out by `where`, or the origin 'never' had its key, as of a temporary id; or 'restored',
--                        where its deletion was undone. `request` is where the body came from (NULL: no request brought it).
--                        `scope` is the parent in whose listing it was last seen. `_NAME` is the declared column NAME; see
--                        siding_stored_columns.
-- siding_stored_columns  the declared columns that are stored in the records table; `is_filled` once all rows have their
--                        values. A column that is no longer declared stays in the table, unused (`is_declared` 0).
-- siding_columns         the inferred columns of each resource's view, in the order in which their members were first seen;
--                        `child` names the view over an array inside of the records, '' is the resource's own view.
-- siding_fields          the members of the records: `kinds` are the JSON types that they were seen with (1 string, 2 number, 4
--                        boolean, 8 object, 16 array), `run` saw the member first, `kinds_run` its newest type.
-- siding_quarantine      records that broke their contract: the bytes, the reason, their page and their position on it. `code`
--                        names the broken rule, `seen_at` is when the origin last sent these bytes.
--
-- LISTINGS
--
-- siding_listings        the newest listing of each resource and scope. While it is open, `next_page` is the checkpoint, moved
--                        in the transaction that saves the page before it: the JSON of the next request (`url`, `sent`) and of
--                        its place in the listing (`number` of the page, `offset` of its first record). A listing that ended
--                        early keeps it without the `url`. `next_source` is the part of the answers that named the next pages,
--                        which decides what a 304 to the last page means. `cursor` is JSON: `from`, where the listing began
--                        (null: at the beginning), `reached`, the highest value on its pages, `moves`, whether its end moves
--                        the cursor (-1: no longer, since a page had a record that was not saved), `waits`, whether pages
--                        came out of order, so that only the end may move it, and `began`, the time that the cursor may not
--                        pass: when the listing began, by our clock or by the origin's, whichever was earlier (null: no
--                        bound). `root` is the first page where a parent's record
--                        decides it. `pass` is the pass that last listed the scope, `parent_revision` the parent's revision
--                        then. `moved` is 1 if a page of it showed a stored record that the page had not shown before.
--                        `incomplete` describes what the origin has beyond the listing; NULL also where a listing was told
--                        where to stop. `page_size` is the size of page that the line carries, where the config declares a
--                        range, and `pages_since_loss` counts the pages read since one was lost (NULL: none was).
--                        `is_unchanged` is 1 while every page of it answered 304 and led to the same next page as before: then
--                        the rows of its pages are those of the listing before, and are not written.
-- siding_pages           one row per page whose records are stored: validators (RFC 9110 section 8.8) and what a 304 does not
--                        repeat: next page and number of records. `read_at` says when the page was last read whole. `members`
--                        are the row ids of its records, ascending, as differences in LEB128 (a 0 and N: N more in a row); NULL
--                        where not all are known.
--                        `high_water_mark` is the highest cursor value on it (NULL too where they break the declared order),
--                        `digest` of its records.
-- siding_cursors         the value from which the next listing begins; it moves in the transaction that saves the rows it covers.
-- siding_passes          the fan-out pass under way, or the last one, of a resource with one listing per parent. `asked_at` is when
--                        all parents had been asked and some of them stayed in the queue; NULL before, or if none did.
-- siding_missing         live records that no page contains. `passes` counts the complete listings or passes in a row without
--                        the record, `needed` is how many delete it: the most that any of them requires. Both are NULL for an
--                        exempt record, which no page has contained yet (an own write, a program or `undelete` stored it).
--                        `checked_at`: when the last GET for the record did not confirm that it was deleted at the origin.
-- siding_tombstones      the records that each run deleted, so that they can be restored; removed with the run.
--
-- RUNS
--
-- siding_runs            one row per run: the newest 1,000, all of the last 30 days (`keep`), and the newest of each resource. `outcome`
--                        is NULL while it runs; a run whose process died keeps the NULL until the next run marks it 'interrupted'. `revisions` is the JSON of
--                        each resource's revision when the run ended; `=NAME` in it says that the resource NAME was forgotten
--                        since.
-- siding_run_resources   the counters of each resource in a run, moved in the transactions that save its pages. `null_filtered`
--                        are those of `deleted` for which the filter was NULL, `deletions_blocked` the records that the
--                        mass-deletion guard kept, `answers_quarantined` those of `quarantined` that are whole answers. `bytes`
--                        are those that the network carried: compressed, in both directions, those of failed pages included.
--                        `report` is the JSON of what else the result shows: the `entry` kept in the queue, `error` and `notes`.
-- siding_leases          one row per name that was ever leased ("resource:posts"). `owner` names a lock file beside the database
--                        on which the holder keeps a flock(2) while it lives. `token` grows with each acquisition: a commit under
--                        an older token changes nothing (fencing).
--
-- OUTBOX
--
-- siding_outbox          one row per retained request, with what decides when it is sent: a fetch (a page that could not be
--                        fetched) or a write (the user's own). queued -> sending -> done, or parked with a reason, or dropped
--                        by an operator. `head` is 1 only for the oldest open entry of a lane, `position` keeps the order
--                        within it, `waits_on` counts open parents: one index finds the next entry of a source. `owner` and
--                        `token` fence a sender. A fetch is unique per resource and scope.
--                        `tried` is the JSON of its tries: `attempts` counts the failed ones that decide the next wait and the
--                        end, `tries` all of them, for display, `crashes` the senders that died. `first_sent_at` is the earliest
--                        time at which the origin may have seen the entry. `waits_for` is 'line' where the return of the network
--                        ends the wait. `conflicts` counts how often a conflict had an edit sent again. `parked` is JSON too: `by` is the owner (as in siding_leases) that parked it last, `at`
--                        when. `let_in` is 1 once a write that was parked for a sign-in was tried again because another
--                        request of its source was answered; a release or retry makes it 0.
-- siding_outbox_requests what an entry sends, and the answer. `operation` is the configured write that made the request,
--                        `replaces` the entry whose request it corrects. `probe` is the delivery probe that a write declares,
--                        `unknown_since` when it became unknown whether it arrived. `conflict_on` lists the statuses that are
--                        conflicts. `gone_is_done`: whether 404 and 410 complete a write that deletes. `error`, `status` and
--                        `answer` are of the last try. `answer_etag` is the entity tag of an answer to a fetch that broke off:
--                        the next try asks for the rest. Credentials are never stored.
-- siding_outbox_edits    what a write does to the record `record_key` of the entry's resource: `terms`, applied in the order of
--                        `edit_order`. `pending` is 1 until the entry is completed. `base` is the origin's record when the edit
--                        was made, once the origin has another one (an empty blob: there was none); of a delivered edit, the
--                        record that it replaced. `temporary_id` becomes `real_id` on delivery.
-- siding_idempotency_keys
--                        the key of each write, sent in `field`; a request that was changed since is sent under the key
--                        `sent_as` instead. `is_honoured` is 1 if the origin remembers it for `lifetime_us` from
--                        `first_sent_at` on. The key of a purged entry stays reserved until `kept_until`; the entry is removed
--                        with its key. `digest` is that of the request that was accepted under `key`, once it was changed or
--                        purged.
-- siding_outbox_events   the newest 100 transitions of an entry: when, who, what, why. `event` of the newest one
--                        tells how a dropped write ended; no decision reads a `detail`.
-- siding_outbox_dependencies
--                        `entry` is not sent before `parent` is completed.
-- siding_outbox_entries  a view: each entry as the program reads it, with the members of `tried` and `parked` as columns, and
--                        what lists show of its request, edit and key.
-- siding_server_copies   the origin's own bytes of a record with pending edits, and their `cause` and `request`, as in the
--                        records table; `body` is NULL where the origin has no such record.
-- siding_sources         the health of each source, shared by all processes: its gate (why it is closed, and until when; NULL: it is
--                        open), failures in a row, answers in a row that asked to wait (`waits`), how the last writes were refused
--                        (`refusal`: status and words) and how many in a row (`refusals`), the `concurrency_limit` after an outage
--                        (NULL: none), and when a request was last sent. A hub to which records are published has a row, too,
--                        named `publish:` and its name: `publication` is what this file knows of it.
-- siding_rate_limits     one row per rate limit: a pattern of paths, a window, and the `unit` that is counted: 'requests', or the
--                        'bytes' that the network carries. `reserved_at` is the newest reservation. `remaining` is the quota
--                        that the origin reported, until `reset_at`; the report of a request that was reserved after
--                        `accept_after` replaces it. `unknown_outcomes` counts requests since then without a report. How many
--                        requests, or bytes, count is JSON, by times: in `ended` per bucket (a 60th of the window, by its start)
--                        those that ended, in `under_way` per deadline the requests under way. Each has at most 61 members.
-- siding_incidents       one row per condition that the hooks of `notify:` concern: `kind` is what is wrong with `subject` (a resource,
--                        a source, or `publish:` and the name of a target) since `since`. `ended_at` is NULL while it lasts.
--                        `notified` is the JSON list of the hooks that took the notification of its beginning, or once it has
--                        ended, of its end. The row goes when all did. `failed_calls` has the hooks that were called in vain: how
--                        often (`count`), and when last (`at`).
--
-- HISTORY
--
-- siding_history         one row per earlier version of a record, shown from `valid_from` until just before `valid_to`. A TEMP
--                        trigger of each writing connection inserts them, so that no statement can forget to. `key` has its own
--                        type, as in the records table; everywhere else a key is text. `cause` and `request` as there.
-- siding_provenance      the requests that fetched bodies: of a page, of an own write (`entry`), or of a page whose record was
--                        in the quarantine. The ids of a resource ascend, and none is used twice: a page counts as of the newest
--                        one when it was requested.

CREATE TABLE siding_resources (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    name                TEXT    NOT NULL CONSTRAINT resources_name_unique UNIQUE,
    source              TEXT    NOT NULL,
    parent              TEXT,
    key_type            TEXT,
    layout              TEXT    CONSTRAINT resources_layout CHECK (layout IN ('rowid', 'indexed')),
    revision            INTEGER NOT NULL DEFAULT 0,
    forgotten           INTEGER NOT NULL DEFAULT 0,
    edited              INTEGER NOT NULL DEFAULT 0,
    null_filtered       INTEGER NOT NULL DEFAULT 0,
    reconciled_revision INTEGER,
    rewrite_from        INTEGER,
    history_since       INTEGER,
    requests            INTEGER NOT NULL DEFAULT 0,
    retention           TEXT    NOT NULL DEFAULT '{"history_pruned":0}',
    listed              TEXT    NOT NULL DEFAULT '{}',
    text_index          TEXT,
    definition          TEXT    NOT NULL,
    schema              TEXT    CONSTRAINT resources_schema_is_json CHECK (schema IS NULL OR json_valid(schema)),
    schema_made         TEXT,
    CONSTRAINT resources_name_not_reserved CHECK (name NOT LIKE 'siding\_%' ESCAPE '\'
        AND name NOT LIKE 'sqlite\_%' ESCAPE '\'),
    CONSTRAINT resources_definition_is_json CHECK (json_valid(definition)),
    CONSTRAINT resources_key_type CHECK (key_type IN ('string', 'integer', 'composite')),
    CONSTRAINT resources_retention_is_json CHECK (json_valid(retention)),
    CONSTRAINT resources_listed_is_json CHECK (json_valid(listed)),
    CONSTRAINT resources_text_index_is_json CHECK (text_index IS NULL OR json_valid(text_index))
) STRICT;

CREATE TABLE siding_stored_columns (
    resource    INTEGER NOT NULL REFERENCES siding_resources (id) ON DELETE CASCADE,
    name        TEXT    NOT NULL COLLATE NOCASE,
    path        TEXT    NOT NULL,
    type        TEXT    NOT NULL,
    format      TEXT,
    is_indexed  INTEGER NOT NULL,
    is_declared INTEGER NOT NULL,
    is_filled   INTEGER NOT NULL,
    PRIMARY KEY (resource, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE siding_columns (
    resource INTEGER NOT NULL REFERENCES siding_resources (id) ON DELETE CASCADE,
    child    TEXT    NOT NULL DEFAULT '',
    ordinal  INTEGER NOT NULL,
    member   TEXT    NOT NULL,
    name     TEXT    NOT NULL,
    PRIMARY KEY (resource, child, ordinal),
    CONSTRAINT columns_member_unique UNIQUE (resource, child, member)
) STRICT, WITHOUT ROWID;

CREATE TABLE siding_fields (
    resource  INTEGER NOT NULL REFERENCES siding_resources (id) ON DELETE CASCADE,
    name      TEXT    NOT NULL,
    kinds     INTEGER NOT NULL,
    run       INTEGER NOT NULL,
    kinds_run INTEGER NOT NULL,
    PRIMARY KEY (resource, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE siding_quarantine (
    id         INTEGER PRIMARY KEY,
    resource   INTEGER NOT NULL REFERENCES siding_resources (id) ON DELETE CASCADE,
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

CREATE TABLE siding_listings (
    resource         INTEGER NOT NULL REFERENCES siding_resources (id) ON DELETE CASCADE,
    scope            TEXT    NOT NULL DEFAULT '',
    listing          INTEGER NOT NULL,
    state            TEXT    NOT NULL,
    next_source      TEXT    CONSTRAINT listings_next_source CHECK (next_source IN ('header', 'body', 'nowhere')),
    next_page        TEXT,
    started_at       INTEGER NOT NULL,
    checkpoint_at    INTEGER NOT NULL,
    run              INTEGER NOT NULL,
    cursor           TEXT    NOT NULL DEFAULT '{"moves":0,"waits":0}',
    fresh_until      INTEGER,
    not_before       INTEGER,
    root             TEXT,
    moved            INTEGER NOT NULL DEFAULT 0,
    page_size        INTEGER,
    pages_since_loss INTEGER,
    incomplete       TEXT,
    is_unchanged     INTEGER NOT NULL DEFAULT 0,
    pass             INTEGER,
    parent_revision  INTEGER,
    PRIMARY KEY (resource, scope),
    CONSTRAINT listings_state CHECK (state IN ('open', 'complete', 'incomplete')),
    CONSTRAINT listings_next_page_is_json CHECK (next_page IS NULL OR json_valid(next_page)),
    CONSTRAINT listings_open_has_next CHECK ((state = 'open') = (next_page ->> 'url' IS NOT NULL)),
    CONSTRAINT listings_cursor_is_json CHECK (json_valid(cursor))
) STRICT;

CREATE TABLE siding_pages (
    resource      INTEGER NOT NULL REFERENCES siding_resources (id) ON DELETE CASCADE,
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
    members       BLOB,
    read_at       INTEGER,
    high_water_mark      TEXT,
    digest        INTEGER,
    PRIMARY KEY (resource, scope, url, sent)
) STRICT, WITHOUT ROWID;

CREATE TABLE siding_cursors (
    resource INTEGER NOT NULL REFERENCES siding_resources (id) ON DELETE CASCADE,
    scope    TEXT    NOT NULL DEFAULT '',
    value    TEXT    NOT NULL,
    moved_at INTEGER NOT NULL,
    PRIMARY KEY (resource, scope)
) STRICT, WITHOUT ROWID;

CREATE TABLE siding_passes (
    resource   INTEGER NOT NULL PRIMARY KEY REFERENCES siding_resources (id) ON DELETE CASCADE,
    pass      INTEGER NOT NULL,
    state      TEXT    NOT NULL,
    takes_all  INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    asked_at   INTEGER,
    ended_at   INTEGER,
    run        INTEGER NOT NULL,
    CONSTRAINT passes_state CHECK (state IN ('open', 'complete', 'incomplete')),
    CONSTRAINT passes_open_has_no_end CHECK ((state = 'open') = (ended_at IS NULL))
) STRICT;

CREATE TABLE siding_missing (
    resource   INTEGER NOT NULL REFERENCES siding_resources (id) ON DELETE CASCADE,
    record     INTEGER NOT NULL,
    passes     INTEGER,
    needed     INTEGER,
    checked_at INTEGER,
    PRIMARY KEY (resource, record),
    CONSTRAINT missing_passes CHECK (passes BETWEEN 1 AND 3),
    CONSTRAINT missing_passes_have_goal CHECK ((passes IS NULL) = (needed IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE siding_tombstones (
    run      INTEGER NOT NULL,
    resource INTEGER NOT NULL REFERENCES siding_resources (id) ON DELETE CASCADE,
    record   INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (run, resource, record)
) STRICT, WITHOUT ROWID;

CREATE TABLE siding_runs (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    command    TEXT    NOT NULL,
    owner      TEXT    NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,
    outcome    TEXT,
    revisions  TEXT    CONSTRAINT runs_revisions_is_json CHECK (revisions IS NULL OR json_valid(revisions)),
    CONSTRAINT runs_outcome CHECK (
        outcome IN ('saved', 'not_modified', 'queued', 'partial', 'skipped', 'failed', 'interrupted')),
    CONSTRAINT runs_ended_has_outcome CHECK ((ended_at IS NULL) = (outcome IS NULL))
) STRICT;
CREATE INDEX siding_runs_unfinished ON siding_runs (owner) WHERE ended_at IS NULL;

CREATE TABLE siding_run_resources (
    run                 INTEGER NOT NULL REFERENCES siding_runs (id),
    resource            TEXT    NOT NULL,
    outcome             TEXT,
    pages               INTEGER NOT NULL DEFAULT 0,
    requests            INTEGER NOT NULL DEFAULT 0,
    not_modified        INTEGER NOT NULL DEFAULT 0,
    inserted            INTEGER NOT NULL DEFAULT 0,
    updated             INTEGER NOT NULL DEFAULT 0,
    unchanged           INTEGER NOT NULL DEFAULT 0,
    stale               INTEGER NOT NULL DEFAULT 0,
    deleted             INTEGER NOT NULL DEFAULT 0,
    quarantined         INTEGER NOT NULL DEFAULT 0,
    duplicates          INTEGER NOT NULL DEFAULT 0,
    bytes               INTEGER NOT NULL DEFAULT 0,
    null_filtered       INTEGER NOT NULL DEFAULT 0,
    deletions_blocked   INTEGER NOT NULL DEFAULT 0,
    answers_quarantined INTEGER NOT NULL DEFAULT 0,
    duration_us         INTEGER NOT NULL DEFAULT 0,
    report              TEXT    NOT NULL DEFAULT '{}',
    PRIMARY KEY (run, resource),
    CONSTRAINT run_resources_outcome CHECK (outcome IN ('saved', 'not_modified', 'queued', 'partial', 'skipped', 'failed')),
    CONSTRAINT run_resources_report_is_json CHECK (json_valid(report))
) STRICT, WITHOUT ROWID;
CREATE INDEX siding_run_resources_newest ON siding_run_resources (resource, run, outcome);

CREATE TABLE siding_leases (
    name        TEXT    PRIMARY KEY,
    owner       TEXT,
    holder      TEXT,
    token       INTEGER NOT NULL,
    CONSTRAINT leases_held_says_who CHECK ((owner IS NULL) = (holder IS NULL)),
    CONSTRAINT leases_holder_is_json CHECK (holder IS NULL OR json_valid(holder))
) STRICT, WITHOUT ROWID;

CREATE TABLE siding_outbox (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT    NOT NULL CONSTRAINT outbox_id_unique UNIQUE,
    kind         TEXT    NOT NULL,
    state        TEXT    NOT NULL,
    reason       TEXT,
    source       TEXT    NOT NULL,
    resource     TEXT,
    scope        TEXT    NOT NULL DEFAULT '',
    lane         TEXT    NOT NULL,
    position     INTEGER NOT NULL,
    head         INTEGER NOT NULL,
    waits_on     INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL,
    not_before   INTEGER NOT NULL,
    expires_at   INTEGER,
    completed_at INTEGER,
    owner        TEXT,
    token        INTEGER NOT NULL DEFAULT 0,
    tried        TEXT    NOT NULL DEFAULT '{"attempts":0,"tries":0,"crashes":0}',
    parked       TEXT    NOT NULL DEFAULT '{"let_in":0}',
    CONSTRAINT outbox_id_shape CHECK (length(id) = 26),
    CONSTRAINT outbox_kind CHECK (kind IN ('fetch', 'write')),
    CONSTRAINT outbox_state CHECK (state IN ('queued', 'sending', 'parked', 'done', 'dropped')),
    CONSTRAINT outbox_reason CHECK (
        reason IN ('uncertain', 'rejected', 'conflict', 'sign_in', 'poison', 'expired', 'key_expired', 'invalid', 'held',
        'dependency')),
    CONSTRAINT outbox_tried_is_json CHECK (json_valid(tried)),
    CONSTRAINT outbox_waits_for CHECK (tried ->> 'waits_for' IN ('line')),
    CONSTRAINT outbox_parked_is_json CHECK (json_valid(parked)),
    CONSTRAINT outbox_let_in CHECK (parked ->> 'let_in' IN (0, 1)),
    CONSTRAINT outbox_parked_has_reason CHECK ((state = 'parked') = (reason IS NOT NULL)),
    CONSTRAINT outbox_sending_has_owner CHECK ((state = 'sending') = (owner IS NOT NULL)),
    CONSTRAINT outbox_completed_has_time CHECK ((state IN ('done', 'dropped')) = (completed_at IS NOT NULL)),
    CONSTRAINT outbox_head_is_open CHECK (head = 0 OR (head = 1 AND completed_at IS NULL)),
    CONSTRAINT outbox_fetch_has_resource CHECK (kind = 'write' OR resource IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX siding_outbox_fetch ON siding_outbox (resource, scope)
    WHERE kind = 'fetch' AND completed_at IS NULL;
CREATE INDEX siding_outbox_open ON siding_outbox (kind) WHERE completed_at IS NULL;
CREATE INDEX siding_outbox_lane ON siding_outbox (lane, position) WHERE completed_at IS NULL;
CREATE INDEX siding_outbox_owner ON siding_outbox (owner) WHERE owner IS NOT NULL;
CREATE INDEX siding_outbox_completed ON siding_outbox (completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX siding_outbox_ready ON siding_outbox (source, not_before, seq)
    WHERE kind = 'write' AND state = 'queued' AND head = 1 AND waits_on = 0;
CREATE INDEX siding_outbox_expiry ON siding_outbox (expires_at) WHERE state = 'queued' AND expires_at IS NOT NULL;
CREATE INDEX siding_outbox_sign_in ON siding_outbox (source, seq)
    WHERE state = 'parked' AND reason = 'sign_in';

CREATE TABLE siding_outbox_requests (
    entry         INTEGER PRIMARY KEY REFERENCES siding_outbox (seq) ON DELETE CASCADE,
    method        TEXT    NOT NULL,
    url           TEXT    NOT NULL,
    page_number   INTEGER,
    operation     TEXT,
    replaces      TEXT,
    headers       TEXT    NOT NULL DEFAULT '[]',
    body          BLOB,
    conflict_on   TEXT,
    gone_is_done  INTEGER,
    probe         TEXT,
    unknown_since INTEGER,
    status        INTEGER,
    error         TEXT,
    answer_type   TEXT,
    answer        BLOB,
    answer_etag   TEXT,
    CONSTRAINT outbox_requests_headers_is_json CHECK (json_valid(headers)),
    CONSTRAINT outbox_requests_conflict_on_is_json CHECK (conflict_on IS NULL OR json_valid(conflict_on)),
    CONSTRAINT outbox_requests_gone_is_done CHECK (gone_is_done IN (0, 1)),
    CONSTRAINT outbox_requests_probe_is_json CHECK (probe IS NULL OR json_valid(probe)),
    CONSTRAINT outbox_requests_error_is_json CHECK (error IS NULL OR json_valid(error))
) STRICT;

CREATE TABLE siding_outbox_edits (
    entry        INTEGER PRIMARY KEY REFERENCES siding_outbox (seq) ON DELETE CASCADE,
    record_key   TEXT    NOT NULL,
    edit_order   INTEGER NOT NULL,
    pending      INTEGER NOT NULL DEFAULT 1,
    terms        TEXT,
    temporary_id TEXT,
    real_id      TEXT,
    base         BLOB,
    CONSTRAINT outbox_edits_pending CHECK (pending IN (0, 1)),
    CONSTRAINT outbox_edits_terms_is_json CHECK (terms IS NULL OR json_valid(terms)),
    CONSTRAINT outbox_edits_pending_has_terms CHECK (pending = 0 OR terms IS NOT NULL),
    CONSTRAINT outbox_edits_real_was_temporary CHECK (real_id IS NULL OR temporary_id IS NOT NULL)
) STRICT;
CREATE INDEX siding_outbox_edits_pending ON siding_outbox_edits (record_key, edit_order) WHERE pending = 1;
CREATE INDEX siding_outbox_edits_temporary ON siding_outbox_edits (temporary_id) WHERE temporary_id IS NOT NULL;

CREATE TABLE siding_idempotency_keys (
    key         TEXT    PRIMARY KEY,
    entry       INTEGER NOT NULL CONSTRAINT idempotency_keys_entry_unique UNIQUE
                REFERENCES siding_outbox (seq) ON DELETE CASCADE,
    field       TEXT,
    is_honoured INTEGER NOT NULL,
    lifetime_us INTEGER,
    kept_until  INTEGER,
    digest      TEXT,
    sent_as     TEXT,
    CONSTRAINT idempotency_keys_is_honoured CHECK (is_honoured IN (0, 1)),
    CONSTRAINT idempotency_keys_digest_of_changed CHECK (digest IS NOT NULL OR (kept_until IS NULL AND sent_as IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX siding_idempotency_keys_kept ON siding_idempotency_keys (kept_until) WHERE kept_until IS NOT NULL;

CREATE TABLE siding_outbox_events (
    seq    INTEGER PRIMARY KEY,
    entry  TEXT    NOT NULL REFERENCES siding_outbox (id) ON DELETE CASCADE,
    at     INTEGER NOT NULL,
    who    TEXT    NOT NULL,
    event  TEXT    NOT NULL,
    detail TEXT
) STRICT;
CREATE INDEX siding_outbox_events_entry ON siding_outbox_events (entry, seq);

CREATE TABLE siding_outbox_dependencies (
    entry  TEXT    NOT NULL REFERENCES siding_outbox (id) ON DELETE CASCADE,
    parent TEXT    NOT NULL REFERENCES siding_outbox (id) ON DELETE CASCADE,
    PRIMARY KEY (entry, parent),
    CONSTRAINT outbox_dependencies_not_itself CHECK (entry <> parent)
) STRICT, WITHOUT ROWID;
CREATE INDEX siding_outbox_dependencies_parent ON siding_outbox_dependencies (parent);

CREATE VIEW siding_outbox_entries AS
SELECT seq, id, kind, state, reason, source, resource, scope, operation, replaces, lane, position, head, waits_on,
    tried ->> 'attempts' AS attempts, tried ->> 'tries' AS tries, tried ->> 'crashes' AS crashes,
    created_at, not_before, tried ->> 'waits_for' AS waits_for, expires_at,
    tried ->> 'first_sent_at' AS first_sent_at, completed_at, owner, token, parked ->> 'by' AS parked_by,
    parked ->> 'at' AS parked_at, parked ->> 'let_in' AS let_in, method, url, page_number, unknown_since, status, error,
    record_key, edit_order, pending, temporary_id, real_id, key, kept_until
FROM siding_outbox
    LEFT JOIN siding_outbox_requests ON siding_outbox_requests.entry = siding_outbox.seq
    LEFT JOIN siding_outbox_edits ON siding_outbox_edits.entry = siding_outbox.seq
    LEFT JOIN siding_idempotency_keys ON siding_idempotency_keys.entry = siding_outbox.seq;

CREATE TABLE siding_server_copies (
    id         INTEGER PRIMARY KEY,
    resource   INTEGER NOT NULL REFERENCES siding_resources (id) ON DELETE CASCADE,
    key        TEXT    NOT NULL,
    body       TEXT,
    deleted_at INTEGER,
    etag       TEXT,
    cause      TEXT    NOT NULL,
    request    INTEGER,
    CONSTRAINT server_copies_deleted_has_body CHECK (deleted_at IS NULL OR body IS NOT NULL),
    CONSTRAINT server_copies_cause CHECK (
        cause IN ('page', 'quarantine', 'write', 'local', 'missing', 'filtered', 'never', 'restored'))
) STRICT;
CREATE UNIQUE INDEX siding_server_copies_key ON siding_server_copies (resource, key);

CREATE TABLE siding_sources (
    name              TEXT    PRIMARY KEY,
    gate              TEXT,
    gate_until        INTEGER,
    gate_note         TEXT,
    failures          INTEGER NOT NULL DEFAULT 0,
    waits             INTEGER NOT NULL DEFAULT 0,
    refusal           TEXT,
    refusals          INTEGER NOT NULL DEFAULT 0,
    concurrency_limit INTEGER,
    last_sent_at      INTEGER NOT NULL DEFAULT 0,
    changed_at        INTEGER NOT NULL,
    publication       TEXT,
    CONSTRAINT sources_publication_is_json CHECK (publication IS NULL OR json_valid(publication)),
    CONSTRAINT sources_gate CHECK (gate IN ('offline', 'portal', 'retry_after', 'breaker', 'sign_in')),
    CONSTRAINT sources_gate_has_end CHECK (gate IS NOT NULL OR gate_until IS NULL),
    CONSTRAINT sources_concurrency_limit CHECK (concurrency_limit > 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE siding_rate_limits (
    id               INTEGER PRIMARY KEY,
    source           TEXT    NOT NULL,
    match            TEXT    NOT NULL,
    unit             TEXT    NOT NULL DEFAULT 'requests',
    window_us        INTEGER NOT NULL,
    rate             INTEGER,
    reserved_at      INTEGER NOT NULL DEFAULT 0,
    remaining        INTEGER,
    reset_at         INTEGER,
    accept_after     INTEGER NOT NULL DEFAULT 0,
    unknown_outcomes INTEGER NOT NULL DEFAULT 0,
    ended            TEXT    NOT NULL DEFAULT '{}',
    under_way        TEXT    NOT NULL DEFAULT '{}',
    CONSTRAINT rate_limits_unique UNIQUE (source, match, unit, window_us),
    CONSTRAINT rate_limits_unit CHECK (unit IN ('requests', 'bytes')),
    CONSTRAINT rate_limits_ended_is_json CHECK (json_valid(ended)),
    CONSTRAINT rate_limits_under_way_is_json CHECK (json_valid(under_way))
) STRICT;

CREATE TABLE siding_incidents (
    kind     TEXT    NOT NULL,
    subject  TEXT    NOT NULL,
    since    INTEGER NOT NULL,
    message  TEXT    NOT NULL,
    ended_at INTEGER,
    notified TEXT    NOT NULL DEFAULT '[]',
    failed_calls TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (kind, subject),
    CONSTRAINT incidents_kind CHECK (kind IN ('failed', 'incomplete', 'queued_too_long', 'parked', 'deletions_blocked')),
    CONSTRAINT incidents_notified_is_json CHECK (json_valid(notified)),
    CONSTRAINT incidents_failed_calls_is_json CHECK (json_valid(failed_calls))
) STRICT, WITHOUT ROWID;

CREATE TABLE siding_history (
    id         INTEGER PRIMARY KEY,
    resource   INTEGER NOT NULL REFERENCES siding_resources (id) ON DELETE CASCADE,
    key        ANY     NOT NULL,
    body       TEXT    NOT NULL,
    deleted_at INTEGER,
    pending    INTEGER NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to   INTEGER NOT NULL,
    run        INTEGER NOT NULL,
    cause      TEXT    NOT NULL,
    request    INTEGER,
    CONSTRAINT history_span CHECK (valid_from <= valid_to),
    CONSTRAINT history_cause CHECK (
        cause = 'page' OR cause IN ('quarantine', 'write', 'local', 'edit', 'missing', 'filtered', 'never', 'restored'))
) STRICT;
CREATE INDEX siding_history_key ON siding_history (resource, key, valid_to);
CREATE INDEX siding_history_end ON siding_history (resource, valid_to);

CREATE TABLE siding_provenance (
    resource      INTEGER NOT NULL REFERENCES siding_resources (id) ON DELETE CASCADE,
    id            INTEGER NOT NULL,
    cause         TEXT    NOT NULL,
    run           INTEGER,
    method        TEXT    NOT NULL,
    url           TEXT    NOT NULL,
    scope         TEXT    NOT NULL DEFAULT '',
    sent          TEXT    NOT NULL DEFAULT '',
    page          INTEGER,
    status        INTEGER,
    etag          TEXT,
    last_modified TEXT,
    at            INTEGER NOT NULL,
    entry         TEXT,
    PRIMARY KEY (resource, id),
    CONSTRAINT provenance_cause CHECK (cause IN ('page', 'write', 'quarantine')),
    CONSTRAINT provenance_write_has_entry CHECK ((cause = 'write') = (entry IS NOT NULL))
) STRICT, WITHOUT ROWID;
