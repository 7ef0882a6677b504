-- Allowances: what an origin says is left stands as it was said, and what may be missing in it stands beside it.
--
-- siding_budgets  `remaining` is the least that answers said since `told`, the newest slot there was when an answer that knew
--                 better was taken in; what is under way comes off as it is asked for. `unheard` requests ended without saying
--                 what is left, the last of them when `unheard_slot` was the newest slot: they come off too, until the answer
--                 of a later request. `closed_until`: the origin itself said that nothing is left until then.
--
-- Where so many went out that nothing was left by our own count, the budget stays closed as it was.

ALTER TABLE siding_budgets ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
ALTER TABLE siding_budgets ADD COLUMN unheard INTEGER NOT NULL DEFAULT 0;
ALTER TABLE siding_budgets ADD COLUMN unheard_slot INTEGER NOT NULL DEFAULT 0;
ALTER TABLE siding_budgets ADD COLUMN closed_until INTEGER;

UPDATE siding_budgets SET closed_until = reset_at, remaining = 1 WHERE remaining <= 0;
UPDATE siding_budgets SET told = coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'siding_budget_slots'), 0);
