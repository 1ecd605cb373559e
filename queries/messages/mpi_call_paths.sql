-- Call paths that end in an MPI call, with the properties of that call.
--
-- MPI_Start does not name the mode of its sends. It is that of all calls that prepare sends, such
-- as MPI_Ssend_init. It is standard if those have several modes, or are not in the trace.
--
-- Grain:      one row per call path of an MPI call
-- Inputs:     call_paths, mpi_calls
-- Needs rows: mpi_calls
-- Output:     mpi_call_paths
-- Parameters: none
-- Source:     MPI 4.0, section 3.9 (persistent communication requests)
-- Assumes:    nothing
WITH
    called AS (
        SELECT
            call_paths.call_path_id,
            mpi_calls.*
        FROM call_paths
        INNER JOIN mpi_calls USING (region_id)
    ),

    prepared AS (
        SELECT if(count(DISTINCT send_mode) = 1, min(send_mode), 'standard') AS send_mode
        FROM called
        WHERE call LIKE 'mpi\_%send\_init' ESCAPE '\'
    )

SELECT
    called.call_path_id,
    called.call,
    called.is_setup,
    called.is_local,
    called.is_test,
    called.can_wait_for_receiver,
    if(called.call IN ('mpi_start', 'mpi_startall'), prepared.send_mode, called.send_mode)
        AS send_mode,
    called.one_sided_role,
    called.is_collective_file_call
FROM called
CROSS JOIN prepared
