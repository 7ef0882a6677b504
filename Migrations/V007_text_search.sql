-- Text search: which resources have a full-text index, and over what.
--
-- siding_texts  one row per resource with an index. The index itself is the FTS5 table siding_text_N (N is the resource's
--               id) over the view siding_text_N_source, both made when text is first searched for. Each transaction that
--               writes a record of the resource keeps the index in step. `fields` is the JSON array of the paths; when it
--               changes, the index is built anew. So it is when `sqlite` differs from the version that reads: versions
--               read some values differently, and FTS5 must be told to forget exactly the words that it learned.

CREATE TABLE siding_texts (
    resource INTEGER PRIMARY KEY REFERENCES siding_resources (id),
    fields   TEXT    NOT NULL,
    sqlite   TEXT    NOT NULL,
    built_at INTEGER NOT NULL,
    CONSTRAINT texts_fields_is_json CHECK (json_valid(fields))
) STRICT;
