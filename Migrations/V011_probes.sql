-- Probes: how to find out whether a write arrived that may have, and which answers to a write are conflicts.
--
-- siding_queue  `probe` is the JSON of the question: a path below the source's base URL with {entry}, {key} and {id} in it,
--               the member that carries what is asked for, and what to do where the answer does not tell. NULL where
--               nobody is to be asked. `unknown_since` is when the try ended of which nobody knows whether it arrived:
--               until that is found out the entry is asked about, and not sent. `conflict_on` is the JSON array of the
--               statuses that are conflicts; NULL for 409, 412 and 428.

ALTER TABLE siding_queue ADD COLUMN probe TEXT
    CONSTRAINT queue_probe_is_json CHECK (probe IS NULL OR json_valid(probe));
ALTER TABLE siding_queue ADD COLUMN unknown_since INTEGER
    CONSTRAINT queue_unknown_has_probe CHECK (unknown_since IS NULL OR probe IS NOT NULL);
ALTER TABLE siding_queue ADD COLUMN conflict_on TEXT
    CONSTRAINT queue_conflict_on_is_json CHECK (conflict_on IS NULL OR json_valid(conflict_on));
