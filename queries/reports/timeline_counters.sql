-- Counters over the run in equal bins: of each part of the system, and of all parts together.
--
-- A counter with one value all the time is left out. Counters declared as accumulated that fall may
-- be levels: the mean of the recorded values is their curve, as in counters_over_time. Counters of
-- power come first, those that change most before others.
--
-- Grain:      one row per counter, part of the system or all parts, and bin with known values
-- Inputs:     counter_profile, counters, counter_recordings, location_groups, system_tree_nodes
-- Output:     report section timeline
-- Parameters: $row_limit  maximum number of rows of parts; if there are more, only those of all
--                         parts remain (BIGINT, default 100000)
-- Assumes:    nothing
WITH
    steps AS (
        SELECT
            counter_id,
            sum(negative_steps) AS negative_steps
        FROM counter_recordings
        GROUP BY counter_id
    ),

    found AS (
        SELECT
            profile.counter_id,
            profile.scope,
            profile.scope_id,
            profile.begin_ns,
            profile.end_ns,
            profile.covered_ns,
            profile.method = 'mean' OR steps.negative_steps > 0 AS is_mean,
            if(steps.negative_steps > 0, profile.recorded_mean, profile.value) AS value
        FROM counter_profile AS profile
        INNER JOIN steps ON profile.counter_id = steps.counter_id
    ),

    known AS (
        SELECT
            *,
            min((scope, scope_id)) OVER of_counter = max((scope, scope_id)) OVER of_counter
                AS is_only_part,
            count(*) OVER () AS row_count
        FROM found
        WHERE value IS NOT NULL
        WINDOW of_counter AS (PARTITION BY counter_id)
        QUALIFY min(value) OVER of_counter < max(value) OVER of_counter
    ),

    together AS (
        SELECT
            counter_id,
            'group' AS scope,
            0 AS scope_id,
            begin_ns,
            end_ns,
            is_mean,
            if(is_mean, sum(value * covered_ns) / nullif(sum(covered_ns), 0), sum(value)) AS value
        FROM known
        WHERE NOT is_only_part
        GROUP BY counter_id, begin_ns, end_ns, is_mean
    ),

    parts AS (
        SELECT
            counter_id,
            scope::VARCHAR AS scope,
            scope_id,
            begin_ns,
            end_ns,
            is_mean,
            value
        FROM known
        WHERE is_only_part OR row_count <= $row_limit::BIGINT
    ),

    series AS (
        FROM together
        UNION ALL
        FROM parts
    )

SELECT
    series.counter_id,
    counters.name AS counter,
    counters.unit,
    series.is_mean,
    series.scope,
    series.scope_id,
    CASE series.scope
        WHEN 'node' THEN nodes.name
        WHEN 'group' THEN 'the run'
        ELSE processes.name
    END AS part,
    series.begin_ns,
    series.end_ns,
    series.value
FROM series
INNER JOIN counters ON series.counter_id = counters.counter_id
LEFT JOIN location_groups AS processes
    ON
        series.scope_id = processes.location_group_id
        AND series.scope IN ('location', 'process')
LEFT JOIN system_tree_nodes AS nodes
    ON series.scope_id = nodes.system_tree_node_id AND series.scope = 'node'
WHERE series.value IS NOT NULL
ORDER BY
    contains(lower(counters.name), 'power') DESC,
    if(
        contains(lower(counters.name), 'power'),
        max(series.value) OVER (PARTITION BY series.counter_id)
        - min(series.value) OVER (PARTITION BY series.counter_id),
        0
    ) DESC,
    series.counter_id,
    series.scope,
    series.scope_id,
    series.begin_ns
