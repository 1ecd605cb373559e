-- Stretches of time that the first thread of each process spends in one call path outside of MPI.
--
-- Only between the setup of MPI and its end.
--
-- Grain:      one row per stretch
-- Inputs:     visits, locations, call_paths, mpi_calls
-- Output:     computing of a program
-- Parameters: none
-- Assumes:    nothing
WITH
    first_threads AS (
        SELECT
            location_id,
            rank
        FROM locations
        WHERE kind = 'cpu_thread' AND thread = 0
    ),

    spans AS (
        SELECT
            first_threads.location_id,
            max(visits.leave_ns) FILTER (WHERE mpi_calls.call <> 'mpi_finalize') AS begin_ns,
            min(visits.enter_ns) FILTER (WHERE mpi_calls.call = 'mpi_finalize') AS end_ns
        FROM visits
        INNER JOIN first_threads USING (location_id)
        INNER JOIN mpi_calls USING (region_id)
        WHERE mpi_calls.is_setup
        GROUP BY first_threads.location_id
    ),

    -- The call path that goes on after an enter is the own one, after a leave the caller's. At the
    -- same time, inner visits are left first, and outer ones entered first.
    changes AS (
        SELECT
            visits.location_id,
            visits.enter_ns AS time_ns,
            1 AS is_enter,
            visits.visit_id AS place,
            visits.call_path_id
        FROM visits
        WHERE visits.enter_ns < visits.leave_ns
        UNION ALL
        SELECT
            visits.location_id,
            visits.leave_ns AS time_ns,
            0 AS is_enter,
            -visits.visit_id AS place,
            call_paths.parent_call_path_id AS call_path_id
        FROM visits
        INNER JOIN call_paths USING (call_path_id)
        WHERE visits.enter_ns < visits.leave_ns
    ),

    stretches AS (
        SELECT
            location_id,
            call_path_id,
            time_ns AS begin_ns,
            lead(time_ns) OVER (
                PARTITION BY location_id
                ORDER BY time_ns, is_enter, place
            ) AS end_ns
        FROM changes
    ),

    clipped AS (
        SELECT
            first_threads.rank,
            stretches.call_path_id,
            greatest(stretches.begin_ns, spans.begin_ns) AS begin_ns,
            least(stretches.end_ns, spans.end_ns) AS end_ns
        FROM stretches
        INNER JOIN first_threads USING (location_id)
        LEFT JOIN spans USING (location_id)
        WHERE stretches.call_path_id IS NOT NULL AND stretches.end_ns IS NOT NULL
    )

SELECT
    clipped.rank,
    clipped.call_path_id,
    clipped.begin_ns,
    clipped.end_ns
FROM clipped
INNER JOIN call_paths USING (call_path_id)
LEFT JOIN mpi_calls ON call_paths.region_id = mpi_calls.region_id
WHERE clipped.begin_ns < clipped.end_ns AND mpi_calls.region_id IS NULL
ORDER BY clipped.rank, clipped.begin_ns
