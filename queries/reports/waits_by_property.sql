-- Kinds of waiting with their total time. A kind includes those that are part of it, which have
-- rows of their own.
--
-- Grain:      one row per metric of waiting, extended ones separate
-- Inputs:     main_waits, metrics, locations, main_times
-- Output:     report section wait states
-- Parameters: $row_limit  maximum number of metrics, longest waits first (BIGINT)
-- Assumes:    of equals, the location with the smallest number counts
WITH RECURSIVE
    waited AS (
        SELECT
            property,
            kind,
            is_extended,
            location_id,
            sum(wait_ns) AS wait_ns,
            sum(main_ns) AS main_ns,
            count(*) AS wait_count,
            max(wait_ns) AS longest_ns,
            min(confidence) AS confidence
        FROM main_waits
        GROUP BY property, kind, is_extended, location_id
    ),

    -- Each property, and every wait state that includes it.
    wider AS (
        SELECT DISTINCT
            property,
            kind,
            property AS metric
        FROM waited
        UNION ALL
        SELECT
            wider.property,
            wider.kind,
            metrics.parent_metric AS metric
        FROM wider
        INNER JOIN metrics ON wider.metric = metrics.metric
        WHERE wider.metric <> wider.kind
    ),

    -- One row per metric and location; place 1 waited longest.
    waiting AS (
        SELECT
            wider.metric,
            waits.is_extended,
            locations.rank,
            locations.thread,
            sum(waits.wait_ns) AS wait_ns,
            sum(waits.main_ns) AS main_ns,
            sum(waits.wait_count) AS wait_count,
            max(waits.longest_ns) AS longest_ns,
            min(waits.confidence) AS confidence,
            row_number() OVER (
                PARTITION BY wider.metric, waits.is_extended
                ORDER BY sum(waits.wait_ns) DESC, waits.location_id
            ) AS place
        FROM waited AS waits
        INNER JOIN wider ON waits.property = wider.property
        INNER JOIN locations ON waits.location_id = locations.location_id
        GROUP BY
            wider.metric,
            waits.is_extended,
            waits.location_id,
            locations.rank,
            locations.thread
    ),

    profiled AS (SELECT sum(time_ns) AS total_ns FROM main_times)

SELECT
    coalesce(metrics.title, waiting.metric) AS finding,
    waiting.metric,
    parents.title AS part_of,
    waiting.is_extended,
    sum(waiting.wait_ns)::BIGINT AS wait_ns,
    sum(waiting.main_ns) / nullif(any_value(profiled.total_ns), 0) AS wait_ratio,
    sum(waiting.wait_count)::BIGINT AS wait_count,
    max(waiting.longest_ns) AS longest_ns,
    count(*) AS location_count,
    any_value(waiting.rank) FILTER (WHERE waiting.place = 1) AS worst_rank,
    any_value(waiting.thread) FILTER (WHERE waiting.place = 1) AS worst_thread,
    max(waiting.wait_ns)::BIGINT AS worst_ns,
    min(waiting.confidence) AS confidence
FROM waiting
CROSS JOIN profiled
LEFT JOIN metrics ON waiting.metric = metrics.metric
LEFT JOIN metrics AS parents
    ON metrics.parent_metric = parents.metric AND parents.kind = 'wait state'
GROUP BY waiting.metric, waiting.is_extended, metrics.title, parents.title
ORDER BY wait_ns DESC, waiting.metric, waiting.is_extended
LIMIT $row_limit::BIGINT
