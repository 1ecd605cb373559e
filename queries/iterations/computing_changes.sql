-- Intervals at whose ends a location begins or stops to compute, of those that meet the main loop.
--
-- The sum of the changes that contain a moment is 1 while the location computes, else 0:
--
--     solve       [computation                 ]     +1 from 0 to 30
--     MPI_Recv           [point-to-point]            -1 from 10 to 28
--
-- Grain:      one row per change
-- Inputs:     visits, call_paths, region_classes, overhead_classes, class_changes,
--             iteration_spans
-- Needs rows: iteration_spans
-- Output:     computing_changes
-- Parameters: none
-- Source:     none
-- Assumes:    visits of a location are nested, except for tasks
WITH
    path_classes AS (
        SELECT
            call_paths.call_path_id,
            own.overhead_id = computation.overhead_id AS is_computation,
            caller.overhead_id = computation.overhead_id AS is_called_by_computation
        FROM call_paths
        INNER JOIN region_classes AS own USING (region_id)
        LEFT JOIN region_classes AS caller ON call_paths.caller_region_id = caller.region_id
        CROSS JOIN (
            SELECT overhead_id FROM overhead_classes WHERE overhead_subclass = 'user code'
        ) AS computation
    ),

    loops AS (
        SELECT
            min(begin_ns) AS begin_ns,
            max(end_ns) AS end_ns
        FROM iteration_spans
    ),

    changes AS (
        -- Visits without caller on the location take no time from one.
        SELECT
            visits.location_id,
            visits.enter_ns AS begin_ns,
            visits.leave_ns AS end_ns,
            path_classes.is_computation::INTEGER
            - coalesce(
                path_classes.is_called_by_computation AND visits.parent_visit_id IS NOT NULL, FALSE
            )::INTEGER AS change_count
        FROM visits
        INNER JOIN path_classes USING (call_path_id)
        WHERE
            path_classes.is_computation
            IS DISTINCT FROM coalesce(path_classes.is_called_by_computation, FALSE)
            OR visits.parent_visit_id IS NULL
        UNION ALL
        SELECT
            class_changes.location_id,
            class_changes.begin_ns,
            class_changes.end_ns,
            class_changes.change_count
            * (
                coalesce(class_changes.overhead_id = computation.overhead_id, FALSE)::INTEGER
                - coalesce(class_changes.caller_overhead_id = computation.overhead_id, FALSE)
                ::INTEGER
            ) AS change_count
        FROM class_changes
        CROSS JOIN (
            SELECT overhead_id FROM overhead_classes WHERE overhead_subclass = 'user code'
        ) AS computation
    )

SELECT
    changes.location_id,
    changes.begin_ns,
    changes.end_ns,
    changes.change_count
FROM changes
INNER JOIN loops ON changes.end_ns > loops.begin_ns AND changes.begin_ns < loops.end_ns
WHERE changes.change_count <> 0
ORDER BY changes.location_id, changes.begin_ns, changes.end_ns, changes.change_count
