-- User patterns that were searched, with their queries.
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
