-- How much of each metric lies in uncertain events: waits and findings of a confidence below 100.
--
-- Grain:      one row per metric with uncertain events
-- Inputs:     wait_states, findings, metrics
-- Output:     report section trace quality
-- Parameters: none
-- Assumes:    a metric includes the waits of its sub-metrics; findings of a pattern include theirs
WITH RECURSIVE
    ancestry AS (
        SELECT
            metric AS part,
            metric
        FROM metrics
        UNION ALL
        SELECT
            ancestry.part,
            metrics.parent_metric AS metric
        FROM ancestry
        INNER JOIN metrics USING (metric)
        WHERE metrics.parent_metric IS NOT NULL
    ),

    waits AS (
        SELECT
            property,
            sum(wait_ns) AS total_ns,
            sum(wait_ns) FILTER (WHERE confidence < 100) AS uncertain_ns
        FROM wait_states
        GROUP BY property
    ),

    timed AS (
        SELECT ancestry.metric, waits.total_ns, waits.uncertain_ns
        FROM waits
        INNER JOIN ancestry ON waits.property = ancestry.part
        UNION ALL
        SELECT property, sum(value), sum(value) FILTER (WHERE confidence < 100)
        FROM findings
        GROUP BY property
    )

SELECT
    any_value(metrics.title) AS metric,
    sum(timed.total_ns)::BIGINT AS total_ns,
    sum(timed.uncertain_ns)::BIGINT AS uncertain_ns,
    sum(timed.uncertain_ns) / sum(timed.total_ns) AS uncertain_ratio
FROM timed
INNER JOIN metrics USING (metric)
WHERE metrics.unit = 'ns'
GROUP BY timed.metric
HAVING sum(timed.uncertain_ns) > 0
ORDER BY uncertain_ns DESC, timed.metric
