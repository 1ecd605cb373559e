-- Counters and derived counters over the run in equal bins: of each part of the system, and of all
-- parts together.
--
-- A counter with one value all the time is left out. Counters declared as accumulated that fall may
-- be levels: the mean of the recorded values is their curve, as in counters_over_time. Counters of
-- power come first, those that change most before others, then derived counters.
--
-- Grain:      one row per counter, part of the system or all parts, and bin with known values
-- Inputs:     counter_profile, counters, counter_recordings, derived_counter_profile,
--             location_groups, system_tree_nodes
-- Output:     report section timeline, report section counters
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

    curves AS (
        SELECT
            profile.*,
            steps.negative_steps > 0 AS is_as_recorded,
            is_as_recorded OR profile.method = 'mean' AS is_mean,
            if(is_as_recorded, profile.recorded_mean, profile.value) AS curve_value
        FROM counter_profile AS profile
        INNER JOIN steps ON profile.counter_id = steps.counter_id
    ),

    -- Without denominator, values are added; else numerators and denominators are.
    found AS (
        SELECT
            counters.counter_id,
            counters.name,
            counters.unit,
            curves.scope::VARCHAR AS scope,
            curves.scope_id,
            curves.begin_ns,
            curves.end_ns,
            curves.is_mean,
            curves.is_as_recorded,
            curves.curve_value AS value,
            if(curves.is_mean, curves.curve_value * curves.covered_ns, curves.curve_value)
                AS numerator,
            if(curves.is_mean, curves.covered_ns::DOUBLE, NULL) AS denominator
        FROM curves
        INNER JOIN counters ON curves.counter_id = counters.counter_id
        UNION ALL
        SELECT
            -- Derived counters have no number.
            -1 AS counter_id,
            name,
            unit,
            scope::VARCHAR AS scope,
            scope_id,
            begin_ns,
            end_ns,
            FALSE AS is_mean,
            FALSE AS is_as_recorded,
            numerator / nullif(denominator, 0) AS value,
            numerator,
            denominator
        FROM derived_counter_profile
    ),

    known AS (
        SELECT
            *,
            min((scope, scope_id)) OVER of_counter = max((scope, scope_id)) OVER of_counter
                AS is_only_part,
            count(*) OVER () AS row_count
        FROM found
        WHERE value IS NOT NULL
        WINDOW of_counter AS (PARTITION BY counter_id, name)
        QUALIFY min(value) OVER of_counter < max(value) OVER of_counter
    ),

    together AS (
        SELECT
            counter_id,
            name,
            unit,
            'group' AS scope,
            0 AS scope_id,
            begin_ns,
            end_ns,
            is_mean,
            is_as_recorded,
            TRUE AS is_together,
            if(
                count(denominator) > 0,
                sum(numerator) / nullif(sum(denominator), 0),
                sum(numerator)
            ) AS value
        FROM known
        WHERE NOT is_only_part
        GROUP BY counter_id, name, unit, begin_ns, end_ns, is_mean, is_as_recorded
    ),

    parts AS (
        SELECT
            counter_id,
            name,
            unit,
            scope,
            scope_id,
            begin_ns,
            end_ns,
            is_mean,
            is_as_recorded,
            FALSE AS is_together,
            value
        FROM known
        WHERE is_only_part OR row_count <= $row_limit::BIGINT
    ),

    series AS (
        FROM together
        UNION ALL
        FROM parts
    ),

    ranked AS (
        SELECT
            *,
            contains(lower(name), 'power') AS is_power,
            max(value) OVER of_counter - min(value) OVER of_counter AS change
        FROM series
        WHERE value IS NOT NULL
        WINDOW of_counter AS (PARTITION BY counter_id, name)
    )

SELECT
    ranked.counter_id,
    ranked.name AS counter,
    ranked.unit,
    ranked.is_mean,
    ranked.is_as_recorded,
    ranked.is_together,
    ranked.scope,
    ranked.scope_id,
    CASE ranked.scope
        WHEN 'node' THEN nodes.name
        WHEN 'group' THEN 'the run'
        ELSE processes.name
    END AS part,
    ranked.begin_ns,
    ranked.end_ns,
    ranked.value
FROM ranked
LEFT JOIN location_groups AS processes
    ON
        ranked.scope_id = processes.location_group_id
        AND ranked.scope IN ('location', 'process')
LEFT JOIN system_tree_nodes AS nodes
    ON ranked.scope_id = nodes.system_tree_node_id AND ranked.scope = 'node'
ORDER BY
    ranked.is_power DESC,
    if(ranked.is_power, ranked.change, 0) DESC,
    ranked.counter_id >= 0,
    ranked.counter_id,
    ranked.name,
    ranked.scope,
    ranked.scope_id,
    ranked.begin_ns
