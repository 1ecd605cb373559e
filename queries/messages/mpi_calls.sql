-- Regions that are MPI calls, and the properties of each call.
--
-- Names are reduced to the C binding in lower case: PMPI_Waitall, mpi_waitall_ (Fortran),
-- MPI_Waitall_f08, MPI_Waitall_c and MPI_Waitall() (TAU) all become mpi_waitall.
--
-- Grain:      one row per region that is an MPI call
-- Inputs:     regions
-- Output:     mpi_calls
-- Parameters: none
-- Source:     MPI 4.0, sections 2.6 and 19.1.5 (names of the bindings), 3.4 and 3.9
--             (communication modes, persistent sends), 12.2 to 12.5 (one-sided
--             communication), 14.2 and 14.4 (collective file access)
--             2.4.1 (local procedures: they exchange nothing with other processes)
-- Assumes:    names start with MPI_ or PMPI_, in any case
WITH
    named AS (
        SELECT
            region_id,
            regexp_extract(
                lower(name), '^p?(mpi_[a-z0-9_]*?)(_c)?(_f08(ts)?)?_*(\(.*\))?$', 1
            ) AS call
        FROM regions
    )

SELECT
    region_id,
    call,
    call IN ('mpi_init', 'mpi_init_thread', 'mpi_finalize') AS is_setup,
    regexp_matches(
        call,
        '^mpi_('
        || 'comm_(rank|size|compare|group|remote_(group|size)|test_inter|get_\w+'
        || '|set_(attr|name|errhandler)|delete_attr|(create|free)_keyval|\w+_errhandler)'
        || '|(attr|errhandler|error|group|info|keyval|op|status|type)_\w+'
        || '|wtime|wtick|initialized|finalized|query_thread|is_thread_main|pcontrol|address'
        || '|get_(address|count|elements(_x)?|processor_name|(library_)?version)'
        || '|cart_(coords|get|map|rank|shift)|cartdim_get|dims_create|topo_test'
        || '|(dist_)?graph_(get|map|neighbors(_count)?)|graphdims_get|(alloc|free)_mem'
        || ')$'
    ) AS is_local,
    call IN ('mpi_test', 'mpi_testany', 'mpi_testall', 'mpi_testsome') AS is_test,
    call IN (
        'mpi_send', 'mpi_ssend', 'mpi_wait', 'mpi_waitany', 'mpi_waitall', 'mpi_waitsome'
    ) AS can_wait_for_receiver,
    CASE
        WHEN regexp_matches(call, '^mpi_(i?send(_init)?|i?sendrecv(_replace)?)$') THEN 'standard'
        WHEN regexp_matches(call, '^mpi_i?ssend(_init)?$') THEN 'synchronous'
        WHEN regexp_matches(call, '^mpi_i?bsend(_init)?$') THEN 'buffered'
        WHEN regexp_matches(call, '^mpi_i?rsend(_init)?$') THEN 'ready'
    END AS send_mode,
    CASE
        WHEN regexp_matches(call, '^mpi_win_(create(_dynamic)?|allocate(_shared)?)$') THEN 'create'
        WHEN regexp_matches(call, '^mpi_win_(free|fence|start|complete|post|wait)$') THEN call[9:]
        WHEN regexp_matches(call, '^mpi_win_lock(_all)?$') THEN 'lock'
        WHEN regexp_matches(call, '^mpi_win_unlock(_all)?$') THEN 'unlock'
        WHEN starts_with(call, 'mpi_win_flush') THEN 'flush'
        WHEN
            regexp_matches(
                call, '^mpi_r?(put|get|(get_)?accumulate|fetch_and_op|compare_and_swap)$'
            )
            THEN 'access'
    END AS one_sided_role,
    regexp_matches(
        call, '^mpi_file_(open|close|i?(read|write)_(at_)?(all|ordered)(_begin|_end)?)$'
    ) AS is_collective_file_call
FROM named
WHERE call <> ''
ORDER BY region_id
