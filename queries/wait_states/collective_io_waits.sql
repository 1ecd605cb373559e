-- Waits in collective access to files: a process is blocked until the last one has begun.
--
--     rank 0   [ MPI_File_write_all .......]
--     rank 1               [ MPI_File_write_all ]
--              |── wait ───|
--
-- What begins in one call and ends in another (split and non-blocking forms) is waited for in the
-- call that ends it, from entering that call on; a call that ends several accesses waits once, for
-- the one it waits longest for, of equals the first. MPI_Test and its kin do not wait. Time that
-- the call waited for messages and other collectives is theirs already; what lasted longer counts.
--
-- Of processes that begin at the same time, the one of the lowest rank is the last.
--
-- Grain:      one row per visit that waited in a collective access to a file
-- Inputs:     collective_file_calls, late_sender, late_receiver, nonblocking_collective_waits,
--             mpi_call_paths
-- Needs rows: collective_file_calls
-- Output:     collective_io_waits
-- Parameters: none
-- Pattern:    wait state
-- Metrics:    mpi_io_collective_wait
-- Source:     min(latest begin, own end) - own begin, as Scalasca has it for collectives, over the
--             processes of the communicator that the file was opened by
-- Assumes:    clocks synchronised; where they are not, a wait ends with its call
WITH
    together AS (
        SELECT
            *,
            max({
                'begin_ns': begin_ns,
                'precedence': -comm_rank,
                'location_id': location_id,
                'visit_id': start_visit_id
            }) OVER (PARTITION BY io_handle_id, ordinal) AS last_one
        FROM collective_file_calls
        WHERE is_complete
    ),

    -- Where all that this call ends was begun by everybody: longest for the whole call.
    awaited AS (
        SELECT
            *,
            greatest(begin_ns, enter_ns) AS start_ns,
            least(last_one.begin_ns, leave_ns) AS until_ns
        FROM together
        WHERE
            visit_id IS NOT NULL
            AND last_one.visit_id IS NOT NULL
            AND call_path_id NOT IN (SELECT call_path_id FROM mpi_call_paths WHERE is_test)
        QUALIFY
            row_number() OVER (
                PARTITION BY visit_id ORDER BY until_ns - start_ns DESC, io_handle_id, ordinal
            ) = 1
    ),

    explained AS (
        SELECT visit_id, max(start_ns + wait_ns) AS explained_until_ns
        FROM (
            SELECT visit_id, start_ns, wait_ns FROM late_sender
            UNION ALL
            SELECT visit_id, start_ns, wait_ns FROM late_receiver
            UNION ALL
            SELECT visit_id, start_ns, wait_ns FROM nonblocking_collective_waits
        )
        WHERE visit_id IN (SELECT visit_id FROM awaited)
        GROUP BY visit_id
    ),

    remaining AS (
        SELECT
            awaited.* EXCLUDE (start_ns),
            greatest(awaited.start_ns, explained.explained_until_ns) AS start_ns
        FROM awaited
        LEFT JOIN explained ON awaited.visit_id = explained.visit_id
    )

SELECT
    'mpi_io_collective_wait' AS property,
    location_id,
    visit_id,
    call_path_id,
    start_ns,
    until_ns - start_ns AS wait_ns,
    last_one.location_id AS cause_location_id,
    last_one.visit_id AS cause_visit_id,
    NULL::BIGINT AS message_id,
    NULL::BIGINT AS collective_id,
    FALSE AS is_synchronisation,
    TRUE AS is_beyond_reference,
    CASE
        WHEN last_one.begin_ns > leave_ns THEN 50
        WHEN is_doubtful THEN 75
        ELSE 100
    END::TINYINT AS confidence
FROM remaining
WHERE until_ns > start_ns
ORDER BY visit_id
