-- Changes between two sets of runs, by metric, call path and, if requested, process.
--
-- The value of a side is the mean of its runs, which are repetitions of each other; a metric that a
-- run does not have at a call path is 0 there. Values are sums over processes; those of call paths
-- are exclusive. Processes are distinguished only for the call paths in $places.
--
-- Grain:      one row per metric, per call path of it, and per process if places are given
-- Inputs:     metric_cells, call_paths, call_path_keys, locations
-- Output:     changes between runs
-- Parameters: $base_runs       run ids of the side compared with, joined by commas (VARCHAR)
--             $other_runs      those of the other side (VARCHAR)
--             $places          metrics to distinguish by process, joined by commas, each followed
--                              by a blank and the key of a call path, or by 'all' for their total;
--                              without any, processes are not distinguished (VARCHAR, default '')
--             $rank_limit      most processes of a place whose value grew, and whose value fell
--                              (BIGINT, default 8)
-- Assumes:    tables hold several runs, distinguished by run_id; a process has one rank
WITH
    sides AS (
        SELECT
            unnest(string_split($base_runs::VARCHAR, ',')) AS run_id,
            FALSE AS is_other
        UNION ALL
        SELECT
            unnest(string_split($other_runs::VARCHAR, ',')) AS run_id,
            TRUE AS is_other
    ),

    side_sizes AS (
        SELECT
            count(*) FILTER (WHERE NOT is_other) AS base_count,
            count(*) FILTER (WHERE is_other) AS other_count
        FROM sides
    ),

    places AS (
        SELECT
            split_part(place, ' ', 1) AS metric,
            try_cast(split_part(place, ' ', 2) AS BIGINT) AS call_path_key
        FROM (SELECT unnest(string_split($places::VARCHAR, ',')) AS place)
        WHERE place <> ''
    ),

    valued AS (
        SELECT
            cells.run_id,
            cells.metric,
            cells.call_path_id,
            cells.location_id,
            cells.value
        FROM metric_cells AS cells
        LEFT JOIN call_paths USING (run_id, call_path_id)
        WHERE
            cells.source IN ('severities', 'call_tree', 'overheads')
            -- Tasks are counted where they run, not where they are scheduled.
            AND (cells.source <> 'call_tree' OR call_paths.kind <> 'task_stub')
    ),

    -- Without places, each call path is kept. With places, only theirs are kept and all others are
    -- combined.
    summed AS (
        SELECT
            valued.run_id,
            valued.metric,
            if(
                $places::VARCHAR = '' OR places.metric IS NOT NULL,
                coalesce(call_path_keys.call_path_key, 0),
                NULL
            ) AS call_path_key,
            if($places::VARCHAR = '', NULL, locations.rank) AS rank,
            sum(valued.value)::BIGINT AS value
        FROM valued
        INNER JOIN locations
            ON valued.run_id = locations.run_id AND valued.location_id = locations.location_id
        LEFT JOIN call_path_keys
            ON
                valued.run_id = call_path_keys.run_id
                AND valued.call_path_id = call_path_keys.call_path_id
        LEFT JOIN places
            ON
                valued.metric = places.metric
                AND coalesce(call_path_keys.call_path_key, 0) = places.call_path_key
        WHERE
            valued.run_id IN (SELECT sides.run_id FROM sides)
            AND ($places::VARCHAR = '' OR valued.metric IN (SELECT each.metric FROM places AS each))
        GROUP BY ALL
    ),

    -- Each call path, and the total over all call paths.
    totalled AS (
        SELECT
            summed.run_id,
            sides.is_other,
            summed.metric,
            grouping(summed.call_path_key) = 1 AS is_total,
            summed.call_path_key,
            summed.rank,
            sum(summed.value)::BIGINT AS value
        FROM summed
        INNER JOIN sides ON summed.run_id = sides.run_id
        GROUP BY
            summed.run_id,
            sides.is_other,
            summed.metric,
            summed.rank,
            GROUPING SETS ((summed.call_path_key), ())
    ),

    wanted AS (
        SELECT *
        FROM totalled
        WHERE
            if(
                is_total,
                $places::VARCHAR = '' OR metric IN (
                    SELECT places.metric FROM places WHERE places.call_path_key IS NULL
                ),
                call_path_key IS NOT NULL
            )
    ),

    sided AS (
        SELECT
            metric,
            call_path_key,
            rank,
            list(value ORDER BY value) FILTER (WHERE NOT is_other) AS base_values,
            list(value ORDER BY value) FILTER (WHERE is_other) AS other_values
        FROM wanted
        WHERE value <> 0
        GROUP BY metric, call_path_key, rank
    ),

    -- Runs without a row have the value 0.
    filled AS (
        SELECT
            sided.metric,
            sided.call_path_key,
            sided.rank,
            list_resize(coalesce(sided.base_values, []), side_sizes.base_count, 0) AS base_values,
            list_resize(coalesce(sided.other_values, []), side_sizes.other_count, 0) AS other_values
        FROM sided
        CROSS JOIN side_sizes
    ),

    compared AS (
        SELECT
            metric,
            call_path_key,
            rank,
            list_avg(base_values) AS base_value,
            list_avg(other_values) AS other_value,
            list_avg(other_values) - list_avg(base_values) AS change_value,
            list_var_samp(base_values) AS base_variance,
            list_var_samp(other_values) AS other_variance
        FROM filled
    ),

    named AS (
        SELECT
            call_path_keys.call_path_key,
            min(call_paths.path) AS call_path,
            min(parents.call_path_key) AS parent_call_path_key,
            bool_or(NOT sides.is_other) AS is_in_base,
            bool_or(sides.is_other) AS is_in_other
        FROM call_path_keys
        INNER JOIN call_paths USING (run_id, call_path_id)
        INNER JOIN sides USING (run_id)
        LEFT JOIN call_path_keys AS parents
            ON
                call_paths.run_id = parents.run_id
                AND call_paths.parent_call_path_id = parents.call_path_id
        GROUP BY call_path_keys.call_path_key
    )

SELECT
    compared.metric,
    compared.call_path_key,
    named.call_path,
    named.parent_call_path_key,
    compared.rank,
    coalesce(named.is_in_base, TRUE) AS is_in_base,
    coalesce(named.is_in_other, TRUE) AS is_in_other,
    compared.base_value,
    compared.other_value,
    compared.change_value,
    compared.base_variance,
    compared.other_variance
FROM compared
LEFT JOIN named ON compared.call_path_key = named.call_path_key
QUALIFY
    $places::VARCHAR = ''
    OR row_number() OVER (
        PARTITION BY compared.metric, compared.call_path_key, compared.change_value > 0
        ORDER BY abs(compared.change_value) DESC, compared.rank
    ) <= $rank_limit::BIGINT
ORDER BY
    compared.metric,
    compared.call_path_key IS NOT NULL,
    abs(compared.change_value) DESC,
    compared.call_path_key,
    compared.rank
