-- Inquiries: the origin is asked for each record that a complete listing lacked, where the config says where records are.
--
-- siding_absences   `asked_at` is when that was done last; `is_gone` whether the origin said that the record is not there.

ALTER TABLE siding_absences ADD COLUMN asked_at INTEGER;
ALTER TABLE siding_absences ADD COLUMN is_gone INTEGER NOT NULL DEFAULT 0;
