-- Responses: answers that are kept to be asked about again, and to be given when the origin cannot be had.
--
-- siding_responses  one row per answer: whose (`account`), to which request (`method`, `url`: the query sorted by name,
--                   credentials left out), and for which values of the request fields that the origin varies on
--                   (`variant`: pairs of field name and value, sorted by name; `[]` where it varies on none). Validators
--                   and body are of one row and change together (RFC 9110 §8.8), so a 304 never meets another body.
--                   `headers` holds the other fields in their order, as pairs; `body` the bytes as they came,
--                   decompressed; `bytes` what the row counts towards the cache's limit. `stored_at` is when the origin
--                   last gave or confirmed it, `initial_age_us` how old it was then (RFC 9111 §4.2.3). `used_at` is moved
--                   by a reader at most once an hour; the row with the oldest goes first when room is needed.

CREATE TABLE siding_responses (
    id             INTEGER PRIMARY KEY,
    account        TEXT    NOT NULL,
    method         TEXT    NOT NULL,
    url            TEXT    NOT NULL,
    variant        TEXT    NOT NULL,
    status         INTEGER NOT NULL,
    etag           TEXT,
    last_modified  TEXT,
    headers        TEXT    NOT NULL,
    answered_url   TEXT    NOT NULL,
    initial_age_us INTEGER NOT NULL,
    stored_at      INTEGER NOT NULL,
    used_at        INTEGER NOT NULL,
    bytes          INTEGER NOT NULL,
    body           BLOB    NOT NULL,
    CONSTRAINT responses_request_unique UNIQUE (account, method, url, variant),
    CONSTRAINT responses_method CHECK (method IN ('GET', 'HEAD')),
    CONSTRAINT responses_variant_is_json CHECK (json_valid(variant)),
    CONSTRAINT responses_headers_is_json CHECK (json_valid(headers)),
    CONSTRAINT responses_bytes_cover_body CHECK (bytes >= length(body)),
    CONSTRAINT responses_age_is_not_negative CHECK (initial_age_us >= 0)
) STRICT;

-- Room is counted and made from this index alone, without a look at the bodies.
CREATE INDEX siding_responses_used ON siding_responses (used_at, bytes);
