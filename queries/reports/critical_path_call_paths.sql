-- Time of call paths on the critical path, and the cost of their imbalance.
--
-- Grain:      one row per call path on the critical path
-- Inputs:     critical_path_profile, severities, call_paths, locations, mpi_calls
-- Output:     report section critical path
-- Parameters: $row_limit  maximum number of call paths, most time on the path first (BIGINT)
-- Assumes:    of equals, the location with the smallest number counts
WITH
    times AS (
        SELECT
            call_path_id,
            sum(path_ns) AS path_ns,
            count(*) AS location_count,
            arg_max(location_id, (path_ns, -location_id)) AS worst_location_id,
            max(path_ns) AS worst_ns
        FROM critical_path_profile
        GROUP BY call_path_id
    ),

    -- Paths are long texts, so they are joined only to these few rows.
    longest AS (
        SELECT *
        FROM times
        ORDER BY path_ns DESC, call_path_id
        LIMIT $row_limit::BIGINT
    ),

    costs AS (
        SELECT
            call_path_id,
            sum(value) FILTER (WHERE metric = 'critical_path_imbalance') AS imbalance_ns,
            sum(value) FILTER (WHERE metric = 'critical_imbalance_impact') AS impact_ns
        FROM severities
        WHERE
            metric IN ('critical_path_imbalance', 'critical_imbalance_impact')
            AND call_path_id IN (SELECT longest.call_path_id FROM longest)
        GROUP BY call_path_id
    )

SELECT
    call_paths.path AS call_path,
    longest.path_ns::BIGINT AS path_ns,
    longest.path_ns / nullif((SELECT sum(path_ns) FROM times), 0) AS path_ratio,
    longest.location_count,
    locations.rank AS worst_rank,
    locations.thread AS worst_thread,
    longest.worst_ns,
    coalesce(costs.imbalance_ns, 0)::BIGINT AS imbalance_ns,
    coalesce(costs.impact_ns, 0)::BIGINT AS impact_ns,
    coalesce(mpi_calls.is_setup, FALSE) AS is_setup
FROM longest
INNER JOIN call_paths ON longest.call_path_id = call_paths.call_path_id
INNER JOIN locations ON longest.worst_location_id = locations.location_id
LEFT JOIN mpi_calls ON call_paths.region_id = mpi_calls.region_id
LEFT JOIN costs ON longest.call_path_id = costs.call_path_id
ORDER BY longest.path_ns DESC, longest.call_path_id
