-- Communication calls of which the trace has no records, so that their waiting is not known.
--
-- If only some members of a collective are recorded, the waiting of all is unknown.
--
-- Grain:      one row per kind of operation without any record, if its calls were visited, and one
--             for collectives without all members
-- Inputs:     flat_profile, mpi_calls, regions, main_times, mpi_operations, rma_operations, runs,
--             collectives, collective_members, visits, main_part
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
                WHEN one_sided_role IS NOT NULL THEN 'one-sided operations'
            END AS operation
        FROM mpi_calls
    ),

    recorded AS (
        SELECT DISTINCT if(kind = 'collective', 'collectives', 'messages') AS operation
        FROM mpi_operations
        WHERE kind IN ('send', 'isend', 'recv', 'irecv', 'mrecv', 'imrecv', 'collective')
        UNION ALL
        SELECT 'one-sided operations' AS operation
        WHERE EXISTS (SELECT 1 FROM rma_operations)
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
    ),

    without_records AS (
        SELECT
            kinds.operation,
            kinds.region_id,
            visited.visit_count,
            coalesce(timed.time_ns, 0) AS time_ns
        FROM kinds
        ANTI JOIN recorded ON kinds.operation = recorded.operation
        INNER JOIN visited ON kinds.region_id = visited.region_id
        LEFT JOIN timed ON kinds.region_id = timed.region_id
        WHERE kinds.operation IS NOT NULL AND (SELECT process_count FROM runs) > 1
    ),

    of_some_members AS (
        SELECT
            'members of some collectives' AS operation,
            visits.region_id,
            count(*) AS visit_count,
            sum(
                greatest(
                    least(visits.leave_ns, main_part.end_ns)
                    - greatest(visits.enter_ns, main_part.begin_ns),
                    0
                )
            ) AS time_ns
        FROM collectives
        INNER JOIN collective_members USING (collective_id)
        INNER JOIN visits ON collective_members.visit_id = visits.visit_id
        CROSS JOIN main_part
        WHERE NOT collectives.is_complete
        GROUP BY visits.region_id
    ),

    unrecorded AS (FROM without_records UNION ALL FROM of_some_members)

SELECT
    unrecorded.operation,
    arg_max(regions.name, (unrecorded.visit_count, -unrecorded.region_id)) AS region,
    sum(unrecorded.visit_count)::BIGINT AS visit_count,
    sum(unrecorded.time_ns)::BIGINT AS time_ns,
    sum(unrecorded.time_ns) / nullif(any_value(total.total_ns), 0) AS time_ratio
FROM unrecorded
INNER JOIN regions ON unrecorded.region_id = regions.region_id
CROSS JOIN total
GROUP BY unrecorded.operation
ORDER BY unrecorded.operation
