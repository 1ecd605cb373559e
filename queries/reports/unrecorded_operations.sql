-- Communication calls of which the trace has no records, so that their waiting is not known.
--
-- Grain:      one row per kind of operation without any record, if its calls were visited
-- Inputs:     flat_profile, mpi_calls, regions, main_times, mpi_operations, runs
-- Output:     report section summary
-- Parameters: none
-- Assumes:    a program of several processes sends messages to others
WITH
    kinds AS (
        SELECT
            region_id,
            CASE
                WHEN regexp_matches(call, '^mpi_([bsr]?send|recv|sendrecv(_replace)?)$')
                    THEN 'messages'
                WHEN
                    regexp_matches(
                        call,
                        '^mpi_(barrier|bcast|(all)?(gather|reduce)v?|scatterv?|alltoall[vw]?)$'
                    )
                    THEN 'collectives'
            END AS operation
        FROM mpi_calls
    ),

    recorded AS (
        SELECT DISTINCT if(kind = 'collective', 'collectives', 'messages') AS operation
        FROM mpi_operations
        WHERE kind IN ('send', 'isend', 'recv', 'irecv', 'mrecv', 'imrecv', 'collective')
    ),

    timed AS (
        SELECT region_id, sum(time_ns) AS time_ns
        FROM main_times
        GROUP BY region_id
    ),

    total AS (SELECT sum(time_ns) AS total_ns FROM timed),

    visited AS (
        SELECT
            region_id,
            sum(visit_count) AS visit_count
        FROM flat_profile
        GROUP BY region_id
    )

SELECT
    kinds.operation,
    arg_max(regions.name, (visited.visit_count, -kinds.region_id)) AS region,
    sum(visited.visit_count)::BIGINT AS visit_count,
    coalesce(sum(timed.time_ns), 0)::BIGINT AS time_ns,
    coalesce(sum(timed.time_ns), 0) / nullif(any_value(total.total_ns), 0) AS time_ratio
FROM kinds
ANTI JOIN recorded ON kinds.operation = recorded.operation
INNER JOIN visited ON kinds.region_id = visited.region_id
INNER JOIN regions ON kinds.region_id = regions.region_id
CROSS JOIN total
LEFT JOIN timed ON kinds.region_id = timed.region_id
WHERE kinds.operation IS NOT NULL AND (SELECT process_count FROM runs) > 1
GROUP BY kinds.operation
ORDER BY kinds.operation
