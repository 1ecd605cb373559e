-- MPI calls of first threads whose processes also have teams of threads.
--
-- Grain:      one row per MPI call outside of other MPI calls
-- Inputs:     visits, call_paths, mpi_call_paths, locations, parallel_visits
-- Needs rows: parallel_visits, mpi_call_paths
-- Output:     process_mpi_calls
-- Parameters: none
-- Source:     POP metrics of hybrid programs: threads outside of teams wait for MPI calls
-- Assumes:    call paths are numbered depth-first, so that a subtree is a range of ids
WITH
    outer_paths AS (
        SELECT call_path_id
        FROM mpi_call_paths
        INNER JOIN call_paths USING (call_path_id)
        -- The call path is outside the subtrees of all earlier MPI calls.
        QUALIFY
            coalesce(
                max(call_paths.last_call_path_id) OVER (
                    ORDER BY call_path_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ) < call_path_id,
                TRUE
            )
    )

SELECT
    visits.location_id,
    visits.visit_id,
    visits.enter_ns,
    visits.leave_ns
FROM visits
SEMI JOIN outer_paths USING (call_path_id)
INNER JOIN locations USING (location_id)
WHERE
    locations.thread = 0
    AND locations.location_id IN (SELECT master_location_id FROM parallel_visits)
