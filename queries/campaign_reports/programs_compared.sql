-- Programs in the order of their marks, lowest first.
--
-- Grain:      one row per comparison, criterion and program
-- Inputs:     mark_rankings
-- Output:     campaign report section programs
-- Parameters: $row_limit  maximum number of rows (BIGINT)
-- Assumes:    nothing
SELECT
    comparison,
    criterion,
    rank AS place,
    application,
    source,
    mark,
    reason
FROM mark_rankings
ORDER BY comparison, criterion, rank NULLS LAST, source, application
LIMIT $row_limit::BIGINT
