-- How far the criteria put programs into the same order.
--
-- Grain:      one row per comparison and pair of criteria
-- Inputs:     mark_ranking_correlations
-- Output:     campaign report section programs
-- Parameters: none
-- Assumes:    nothing
SELECT
    comparison,
    criterion,
    other_criterion,
    program_count,
    spearman,
    reason
FROM mark_ranking_correlations
ORDER BY comparison, criterion, other_criterion
