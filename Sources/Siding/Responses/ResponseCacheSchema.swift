// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite

/// What makes an SQLite file a response cache.
enum ResponseCacheSchema {
    /// "SidC": marks the file as a response cache (sqlite.org/fileformat2.html, offset 68), so that no store is taken
    /// for one.
    static let applicationID: Int32 = 0x5369_6443

    /// The schema's history, as `Migrations/V001_schema.sql` begins that of the store.
    ///
    /// Validators and body of one row change together. `variant` are the request fields that the origin varies on,
    /// `initial_age_us` is the age when stored (RFC 9111 section 4.2.3), `bytes` what the row counts towards the limit.
    /// The row with the oldest `used_at` is evicted first. Times are wall-clock microseconds since 1970 UTC.
    static let migrations = [
        Migration(
            version: 1, name: "responses",
            sql: """
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
                CREATE INDEX siding_responses_used ON siding_responses (used_at, bytes);
                """)
    ]
}
