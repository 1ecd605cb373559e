-- How the time of all locations divides: program code, libraries, and waiting inside them.
--
-- Grain:      one row per part that took time
-- Inputs:     flat_profile, regions, call_paths, wait_states
-- Output:     report section summary
-- Parameters: none
-- Assumes:    wait states lie within the exclusive time of their call path's region
WITH
    spent AS (
        SELECT regions.paradigm::VARCHAR AS paradigm, sum(flat_profile.exclusive_ns) AS time_ns
        FROM flat_profile
        INNER JOIN regions ON flat_profile.region_id = regions.region_id
        GROUP BY regions.paradigm
    ),

    waited AS (
        SELECT regions.paradigm::VARCHAR AS paradigm, sum(wait_states.wait_ns) AS wait_ns
        FROM wait_states
        INNER JOIN call_paths ON wait_states.call_path_id = call_paths.call_path_id
        INNER JOIN regions ON call_paths.region_id = regions.region_id
        GROUP BY regions.paradigm
    ),

    divided AS (
        SELECT
            spent.paradigm,
            least(coalesce(waited.wait_ns, 0), spent.time_ns) AS wait_ns,
            spent.time_ns - least(coalesce(waited.wait_ns, 0), spent.time_ns) AS work_ns
        FROM spent
        LEFT JOIN waited ON spent.paradigm = waited.paradigm
    ),

    parts AS (
        -- What compilers and people instrument is the program itself.
        SELECT
            CASE
                WHEN paradigm IN ('user', 'compiler') THEN 'program code'
                WHEN paradigm = 'mpi' THEN 'MPI, not waiting'
                WHEN paradigm = 'measurement_system' THEN 'measurement'
                ELSE replace(paradigm, '_', ' ')
            END AS part,
            work_ns AS time_ns
        FROM divided
        UNION ALL
        SELECT
            CASE WHEN paradigm = 'mpi' THEN 'MPI' ELSE replace(paradigm, '_', ' ') END
            || ', waiting' AS part,
            wait_ns AS time_ns
        FROM divided
    )

SELECT
    part,
    sum(time_ns)::BIGINT AS time_ns,
    sum(time_ns) / nullif(sum(sum(time_ns)) OVER (), 0) AS time_ratio
FROM parts
GROUP BY part
HAVING sum(time_ns) <> 0
ORDER BY time_ns DESC, part
