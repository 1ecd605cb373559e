-- Metrics for exploration, in the order of their numbers. Values refer to them by number.
--
-- Grain:      one row per metric
-- Inputs:     page_metrics
-- Output:     report section exploration
-- Parameters: none
SELECT metric_number, metric, parent_metric, kind, title, unit, meaning
FROM page_metrics
ORDER BY metric_number
