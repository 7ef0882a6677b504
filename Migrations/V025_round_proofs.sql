-- Proofs of rounds: where a resource has one listing for each record of another, what one of them lacks may be in another, so
-- records are gone from the resource, not from one of its listings.
--
-- siding_absences    `scope` is always '': records that the last complete listing lacked, or the last round in which the listing
--                    of every parent was completed.
-- siding_departures  `scope` is '' for what the next such listing or round looks for; else the key of a parent that is gone,
--                    whose records wait until it is back.
-- siding_resources   `redefined_run` is NULL again once a complete listing or round was made under the new definition: that one
--                    proves nothing yet.
--
-- What single listings lacked says nothing of others: it is looked for anew, and the first round is the first of two.

UPDATE siding_resources SET redefined_run = 0
WHERE redefined_run IS NULL AND id IN (SELECT resource FROM siding_absences WHERE scope <> '');
INSERT OR IGNORE INTO siding_absences (resource, scope, record)
SELECT resource, '', record FROM siding_absences WHERE scope <> '';
DELETE FROM siding_absences WHERE scope <> '';
UPDATE siding_departures SET scope = '' WHERE scope <> '';
