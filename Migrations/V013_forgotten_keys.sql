-- Forgotten keys: a key names one request for as long as its origin remembers it, and no shorter because its entry was purged.
--
-- siding_queue  `key_until` is set where a settled write was forgotten but for its key: until then the key stays taken. Body,
--               header fields and answer are gone; `body_sha256` tells whether a request is the same one: the digest of
--               method, URL, header fields and body, in hexadecimal.

ALTER TABLE siding_queue ADD COLUMN key_until INTEGER
    CONSTRAINT queue_forgotten_is_settled CHECK (key_until IS NULL OR settled_at IS NOT NULL);

CREATE INDEX siding_queue_forgotten ON siding_queue (key_until) WHERE key_until IS NOT NULL;
