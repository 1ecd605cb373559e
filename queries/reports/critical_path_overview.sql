-- Length and composition of the critical path, with the worst location and call path on it.
--
-- MPI setup is left out, because a program cannot improve it. Time in thread synchronization and
-- management, and in moving data to memory, devices or files, is separated from the program's own
-- computation.
--
-- Grain:      one row if the trace has a critical path
-- Inputs:     critical_path_summary, critical_path_locations, critical_path_profile,
--             critical_path_waits, severities, locations, call_paths, mpi_calls,
--             region_classes, overhead_classes
-- Output:     report section critical path
-- Parameters: none
-- Assumes:    of equals, the location or call path with the smallest number counts
WITH
    setup_call_paths AS (
        SELECT call_paths.call_path_id
        FROM call_paths
        INNER JOIN mpi_calls ON call_paths.region_id = mpi_calls.region_id
        WHERE mpi_calls.is_setup
    ),

    setups AS (
        SELECT
            location_id,
            sum(path_ns) AS setup_ns
        FROM critical_path_profile
        SEMI JOIN setup_call_paths USING (call_path_id)
        GROUP BY location_id
    ),

    lengths AS (
        SELECT
            summary.* REPLACE (communication_ns - totals.setup_ns AS communication_ns),
            totals.setup_ns,
            computation_ns + communication_ns - totals.setup_ns AS path_ns
        FROM critical_path_summary AS summary
        CROSS JOIN (SELECT coalesce(sum(setup_ns), 0)::BIGINT AS setup_ns FROM setups) AS totals
    ),

    -- Outside MPI: locks, barriers, tasks and thread teams; and memory, devices and files.
    outside_mpi AS (
        SELECT
            coalesce(
                sum(profile.path_ns) FILTER (
                    WHERE overhead_classes.overhead_class <> 'data movement'
                ),
                0
            ) AS threading_ns,
            coalesce(
                sum(profile.path_ns) FILTER (
                    WHERE overhead_classes.overhead_class = 'data movement'
                ),
                0
            ) AS moving_ns
        FROM critical_path_profile AS profile
        INNER JOIN call_paths USING (call_path_id)
        INNER JOIN region_classes USING (region_id)
        INNER JOIN overhead_classes USING (overhead_id)
        ANTI JOIN mpi_calls USING (region_id)
        WHERE
            overhead_classes.overhead_class IN (
                'synchronisation', 'control of parallelism', 'data movement'
            )
    ),

    contributors AS (
        SELECT
            locations.rank,
            locations.thread,
            parts.computation_ns + parts.communication_ns - coalesce(setups.setup_ns, 0)
                AS contributed_ns
        FROM critical_path_locations AS parts
        INNER JOIN locations USING (location_id)
        LEFT JOIN setups USING (location_id)
        ORDER BY contributed_ns DESC, parts.location_id
        LIMIT 1
    ),

    impacts AS (
        SELECT
            call_path_id,
            sum(value) AS impact_ns
        FROM severities
        ANTI JOIN setup_call_paths USING (call_path_id)
        WHERE metric = 'critical_imbalance_impact'
        GROUP BY call_path_id
        ORDER BY impact_ns DESC, call_path_id
        LIMIT 1
    )

SELECT
    lengths.path_ns,
    (lengths.computation_ns - outside_mpi.threading_ns - outside_mpi.moving_ns)
    / nullif(lengths.path_ns, 0) AS computation_ratio,
    outside_mpi.threading_ns / nullif(lengths.path_ns, 0) AS threading_ratio,
    outside_mpi.moving_ns / nullif(lengths.path_ns, 0) AS moving_ratio,
    lengths.communication_ns / nullif(lengths.path_ns, 0) AS communication_ratio,
    lengths.setup_ns,
    lengths.segment_count,
    lengths.location_count,
    lengths.is_whole,
    contributors.rank AS worst_rank,
    contributors.thread AS worst_thread,
    contributors.contributed_ns::BIGINT AS worst_ns,
    contributors.contributed_ns / nullif(lengths.path_ns, 0) AS worst_ratio,
    impacted.path AS worst_call_path,
    impacts.impact_ns::BIGINT AS impact_ns,
    waits.waiting_ns::BIGINT AS waiting_ns,
    waits.waiting_ns / nullif(lengths.path_ns, 0) AS waiting_ratio
FROM lengths
CROSS JOIN outside_mpi
CROSS JOIN contributors
CROSS JOIN (SELECT coalesce(sum(path_ns), 0) AS waiting_ns FROM critical_path_waits) AS waits
LEFT JOIN impacts ON impacts.impact_ns > 0
LEFT JOIN call_paths AS impacted ON impacts.call_path_id = impacted.call_path_id
ORDER BY lengths.begin_ns
