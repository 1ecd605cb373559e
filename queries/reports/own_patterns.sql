-- The patterns of the user that were looked for, with what finds them.
--
-- Grain:      one row per pattern
-- Inputs:     patterns
-- Output:     report section findings
-- Parameters: none
-- Assumes:    nothing
SELECT
    pattern,
    query
FROM patterns
WHERE is_own
ORDER BY pattern
