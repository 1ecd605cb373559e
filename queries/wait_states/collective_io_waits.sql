-- Waits in collective file access: a process is blocked until the last process has begun.
--
--     rank 0   [ MPI_File_write_all .......]
--     rank 1               [ MPI_File_write_all ]
--              |── wait ───|
--
-- Split and nonblocking accesses wait in the call that completes them, from the time the call is
-- entered. A call that completes several accesses has one wait: the longest one; if several are
-- equal, the first. MPI_Test and its variants do not wait. Time that the call spent waiting for
-- messages or other collectives is not counted again.
--
-- Of processes that begin at the same time, the one with the lowest rank is the last.
--
-- Grain:      one row per visit that waited in a collective file access
-- Inputs:     collective_file_calls, late_sender, late_receiver, nonblocking_collective_waits,
--             mpi_call_paths
-- Needs rows: collective_file_calls
-- Output:     collective_io_waits
-- Parameters: none
-- Pattern:    wait state
-- Metrics:    mpi_io_collective_wait
-- Source:     min(latest begin, own end) - own begin, as Scalasca defines it for collectives, over
--             the processes of the communicator that opened the file
-- Assumes:    clocks are synchronized; where they are not, a wait ends with its call
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

    -- The longest wait of each call stands for the call.
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
    location_id,
    visit_id,
    call_path_id,
    start_ns,
    until_ns - start_ns AS wait_ns,
    last_one.location_id AS cause_location_id,
    last_one.visit_id AS cause_visit_id,
    TRUE AS is_extended,
    CASE
        WHEN last_one.begin_ns > leave_ns THEN 50
        WHEN is_doubtful THEN 75
        ELSE 100
    END AS confidence
FROM remaining
WHERE until_ns > start_ns
