-- Time of call paths on the critical path, and the cost of their imbalance.
--
-- Grain:      one row per call path on the critical path
-- Inputs:     critical_path_profile, severities, call_paths, locations, mpi_calls
-- Output:     report section critical path
-- Parameters: $row_limit  maximum number of call paths, most time on the path first (BIGINT)
-- Assumes:    ties go to the location with the smallest number
WITH
    -- One row per call path and location; place 1 has the most time on the path.
    placed AS (
        SELECT
            profile.call_path_id,
            profile.path_ns,
            locations.rank,
            locations.thread,
            row_number() OVER (
                PARTITION BY profile.call_path_id
                ORDER BY profile.path_ns DESC, profile.location_id
            ) AS place
        FROM critical_path_profile AS profile
        INNER JOIN locations USING (location_id)
    ),

    times AS (
        SELECT
            call_path_id,
            sum(path_ns) AS path_ns,
            count(*) AS location_count,
            any_value(rank) FILTER (WHERE place = 1) AS worst_rank,
            any_value(thread) FILTER (WHERE place = 1) AS worst_thread,
            max(path_ns) AS worst_ns
        FROM placed
        GROUP BY call_path_id
    ),

    costs AS (
        SELECT
            call_path_id,
            sum(value) FILTER (WHERE metric = 'critical_path_imbalance') AS imbalance_ns,
            sum(value) FILTER (WHERE metric = 'critical_imbalance_impact') AS impact_ns
        FROM severities
        WHERE metric IN ('critical_path_imbalance', 'critical_imbalance_impact')
        GROUP BY call_path_id
    )

SELECT
    call_paths.path AS call_path,
    times.path_ns::BIGINT AS path_ns,
    times.path_ns / nullif(sum(times.path_ns) OVER (), 0) AS path_ratio,
    times.location_count,
    times.worst_rank,
    times.worst_thread,
    times.worst_ns,
    coalesce(costs.imbalance_ns, 0)::BIGINT AS imbalance_ns,
    coalesce(costs.impact_ns, 0)::BIGINT AS impact_ns,
    coalesce(mpi_calls.is_setup, FALSE) AS is_setup
FROM times
INNER JOIN call_paths ON times.call_path_id = call_paths.call_path_id
LEFT JOIN mpi_calls ON call_paths.region_id = mpi_calls.region_id
LEFT JOIN costs ON times.call_path_id = costs.call_path_id
ORDER BY times.path_ns DESC, times.call_path_id
LIMIT $row_limit::BIGINT
