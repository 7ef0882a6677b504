-- Sign-ins: which writes wait for one, found without looking at the whole queue.
--
-- siding_queue  Each answer of a source is a reason to look for writes that it let wait for a sign-in, so the look is one
--               seek in an index that holds nothing else.

CREATE INDEX siding_queue_sign_in ON siding_queue (source, seq)
    WHERE kind = 'write' AND state = 'parked' AND reason = 'sign_in';
