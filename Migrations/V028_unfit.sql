-- Records that a page showed and that `where` leaves out: they live until all of a listing, or of a round, is known, as more of
-- them may go than may go at once.
--
-- siding_unfit   the body of the record is what the page showed last.

CREATE TABLE siding_unfit (
    resource INTEGER NOT NULL REFERENCES siding_resources (id),
    record   INTEGER NOT NULL,
    PRIMARY KEY (resource, record)
) STRICT, WITHOUT ROWID;
