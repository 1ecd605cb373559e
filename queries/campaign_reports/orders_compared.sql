-- Rank correlation between the orders of programs by different criteria.
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
