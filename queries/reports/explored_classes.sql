-- Overhead classes whose time a metric of the exploration includes.
--
-- Grain:      one row per overhead class and metric: its own, and the one above if of a class
-- Inputs:     overhead_classes, page_metrics
-- Output:     report section exploration
-- Parameters: none
-- Assumes:    a metric of a class has at most one of another class above it
WITH
    above AS (
        SELECT
            overhead_id,
            unnest([metric, parent_metric]) AS metric
        FROM overhead_classes
        INNER JOIN page_metrics USING (metric)
    )

SELECT above.overhead_id, page_metrics.metric_number
FROM above
INNER JOIN page_metrics ON above.metric = page_metrics.metric
WHERE above.metric IN (SELECT classes.metric FROM overhead_classes AS classes)
ORDER BY above.overhead_id, page_metrics.metric_number
