-- Metrics per call path and location for exploration, without the smallest values.
--
-- Time is divided into overhead classes, which sum to the total time. Time of tasks is counted
-- where they run, not where they are scheduled. Idle threads and losses of efficiency have no call
-- path. Values of call paths that a page does not show count for their callers.
--
-- Grain:      one row per metric, call path and location with a value other than zero
-- Inputs:     call_tree, call_path_totals, call_paths, overhead_classes, page_metrics,
--             efficiency_losses, severities, critical_path_work, fork_join_times, idle_times,
--             region_classes, computational_imbalance
-- Output:     report section exploration
-- Parameters: $row_limit   maximum number of values, largest in their unit first (BIGINT)
--             $path_limit  maximum number of shown call paths, most inclusive time first (BIGINT)
-- Assumes:    a metric has the unit of its sub-metrics and includes them, so it is kept if a
--             sub-metric is kept; call paths are numbered depth-first, and a caller has at least
--             the time of its callees, so that callers of shown call paths are shown; metrics of
--             large tables are as in metric_cells, summed before each is a row of its own
WITH
    shown AS (
        SELECT call_paths.call_path_id
        FROM call_paths
        LEFT JOIN call_path_totals AS totals USING (call_path_id)
        ORDER BY totals.inclusive_ns DESC NULLS LAST, call_paths.call_path_id
        LIMIT $path_limit::BIGINT
    ),

    -- Shown call paths, and hidden ones whose caller is shown. All below a hidden one are hidden,
    -- and numbered before the next of these.
    starts AS (
        SELECT call_path_id, call_path_id AS shown_call_path_id
        FROM shown
        UNION ALL
        SELECT hidden.call_path_id, hidden.parent_call_path_id AS shown_call_path_id
        FROM call_paths AS hidden
        LEFT JOIN shown AS callers ON hidden.parent_call_path_id = callers.call_path_id
        ANTI JOIN shown ON hidden.call_path_id = shown.call_path_id
        WHERE callers.call_path_id IS NOT NULL OR hidden.parent_call_path_id IS NULL
    ),

    -- Tasks are counted where they run, not where they are scheduled.
    counted_for AS (
        SELECT
            call_paths.call_path_id,
            starts.shown_call_path_id,
            if(call_paths.kind = 'task_stub', NULL, region_classes.overhead_id) AS overhead_id
        FROM call_paths
        ASOF INNER JOIN starts ON call_paths.call_path_id >= starts.call_path_id
        LEFT JOIN region_classes ON call_paths.region_id = region_classes.region_id
    ),

    timed AS (
        SELECT
            counted_for.shown_call_path_id AS call_path_id,
            call_tree.location_id,
            counted_for.overhead_id,
            sum(call_tree.visit_count) AS visit_count,
            sum(call_tree.exclusive_ns - coalesce(fork_join_times.fork_join_ns, 0)) AS own_ns,
            sum(greatest(
                call_tree.exclusive_ns - coalesce(fork_join_times.fork_join_ns, 0) - means.mean_ns,
                0
            )) FILTER (WHERE call_tree.visit_count > 0 OR call_tree.shortest_ns IS NOT NULL)
                AS above_ns
        FROM call_tree
        INNER JOIN counted_for USING (call_path_id)
        LEFT JOIN fork_join_times USING (call_path_id, location_id)
        LEFT JOIN computational_imbalance AS means USING (call_path_id)
        GROUP BY ALL
    ),

    -- Of the interval whose efficiencies the report shows first.
    lost AS (
        UNPIVOT (
            SELECT * EXCLUDE (interval)
            FROM efficiency_losses
            QUALIFY interval = min(interval) OVER ()
        )
        ON COLUMNS(* EXCLUDE (location_id))
        INTO NAME metric VALUE value
    ),

    -- Each class and the metric above it.
    class_metrics AS (
        SELECT
            above.overhead_id,
            above.overhead_subclass,
            named.metric,
            named.metric_number
        FROM (
            SELECT
                overhead_id,
                overhead_subclass,
                unnest([metric, parent_metric]) AS metric
            FROM overhead_classes
            INNER JOIN page_metrics USING (metric)
        ) AS above
        INNER JOIN page_metrics AS named ON above.metric = named.metric
        WHERE named.metric IN (SELECT classes.metric FROM overhead_classes AS classes)
    ),

    pathed AS (
        SELECT
            counted_for.shown_call_path_id AS call_path_id,
            found.location_id,
            sum(least(found.path_ns, found.work_ns)) AS path_ns,
            sum(greatest(found.work_ns - found.path_ns, 0)) AS other_ns
        FROM critical_path_work AS found
        INNER JOIN counted_for USING (call_path_id)
        GROUP BY ALL
    ),

    of_locations AS (
        SELECT
            unnest(['idle_thread', 'idle_absent']) AS metric,
            location_id,
            unnest([idle_thread_ns, absent_ns]) AS value
        FROM idle_times
        UNION ALL BY NAME
        FROM lost
    ),

    of_call_paths AS (
        SELECT metric, call_path_id, location_id, value
        FROM severities
        UNION ALL
        SELECT metric, call_path_id, location_id, fork_join_ns AS value
        FROM fork_join_times
        INNER JOIN class_metrics ON overhead_subclass = 'fork/join'
    ),

    valued AS (
        SELECT metric_number, shown_call_path_id AS call_path_id, location_id, value
        FROM of_call_paths
        INNER JOIN page_metrics USING (metric)
        INNER JOIN counted_for USING (call_path_id)
        UNION ALL
        SELECT metric_number, NULL AS call_path_id, location_id, value
        FROM of_locations
        INNER JOIN page_metrics USING (metric)
        UNION ALL
        SELECT metric_number, call_path_id, location_id, own_ns AS value
        FROM timed
        INNER JOIN class_metrics USING (overhead_id)
        UNION ALL
        SELECT metric_number, call_path_id, location_id, visit_count AS value
        FROM timed
        INNER JOIN page_metrics ON metric = 'visits'
        UNION ALL
        SELECT metric_number, call_path_id, location_id, above_ns AS value
        FROM timed
        INNER JOIN page_metrics ON metric = 'imbalance_above'
        UNION ALL
        SELECT metric_number, call_path_id, location_id, path_ns AS value
        FROM pathed
        INNER JOIN page_metrics ON metric = 'critical_path_activities'
        UNION ALL
        SELECT metric_number, call_path_id, location_id, other_ns AS value
        FROM pathed
        INNER JOIN page_metrics ON metric = 'non_critical_path_activities'
    ),

    cells AS (
        SELECT metric_number, call_path_id, location_id, sum(value)::BIGINT AS value
        FROM valued
        GROUP BY ALL
        HAVING sum(value) <> 0
    ),

    scales AS (
        SELECT
            metric_number,
            max(sum(value)) OVER (PARTITION BY any_value(unit)) AS largest_total
        FROM cells
        INNER JOIN page_metrics USING (metric_number)
        GROUP BY metric_number
    ),

    -- Values of a band differ by 1%.
    weighed AS (
        SELECT
            cells.*,
            abs(cells.value) / scales.largest_total AS weight,
            floor(64 * log2(greatest(least(weight, 1e300), 1e-300)))::INTEGER AS band
        FROM cells
        INNER JOIN scales USING (metric_number)
    ),

    -- The band of which the limit leaves only the largest values, so that few are sorted.
    cut AS (
        SELECT
            band,
            $row_limit::BIGINT - (reached - value_count) AS left_count
        FROM (
            SELECT
                band,
                count(*) AS value_count,
                sum(count(*)) OVER (ORDER BY band DESC) AS reached
            FROM weighed
            GROUP BY band
        )
        WHERE reached > $row_limit::BIGINT
        ORDER BY band DESC
        LIMIT 1
    ),

    largest AS (
        SELECT metric_number, call_path_id, location_id, value
        FROM weighed
        WHERE band > coalesce((SELECT cut.band FROM cut), -1000000)
        UNION ALL
        (
            SELECT metric_number, call_path_id, location_id, value
            FROM weighed
            WHERE band = (SELECT cut.band FROM cut)
            ORDER BY weight DESC, metric_number, call_path_id, location_id
            LIMIT (SELECT cut.left_count FROM cut)
        )
    )

-- Without the limit, there are cell_count rows.
SELECT
    metric_number,
    call_path_id,
    location_id,
    value,
    (SELECT count(*) FROM cells) AS cell_count
FROM largest
ORDER BY metric_number, call_path_id NULLS LAST, location_id
