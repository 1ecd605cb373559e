-- Call paths that end in an MPI call, with the properties of that call.
--
-- Grain:      one row per call path of an MPI call
-- Inputs:     call_paths, mpi_calls
-- Needs rows: mpi_calls
-- Output:     mpi_call_paths
-- Parameters: none
-- Source:     mpi_calls
-- Assumes:    nothing
SELECT
    call_paths.call_path_id,
    mpi_calls.call,
    mpi_calls.is_setup,
    mpi_calls.is_local,
    mpi_calls.is_test,
    mpi_calls.can_wait_for_receiver,
    mpi_calls.one_sided_role,
    mpi_calls.is_collective_file_call
FROM call_paths
INNER JOIN mpi_calls USING (region_id)
ORDER BY call_paths.call_path_id
