-- Overview of the run in one row: duration, size and waiting.
--
-- Grain:      one row
-- Inputs:     runs, flat_profile, regions, mpi_calls, wait_states, messages, collectives,
--             thread_teams, task_fragments, lock_operations, rma_operations,
--             collective_file_calls
-- Output:     report section summary
-- Parameters: none
-- Assumes:    exclusive times of all regions sum to the time of all locations
WITH
    profiled AS (
        SELECT
            coalesce(sum(flat_profile.exclusive_ns), 0) AS total_ns,
            coalesce(
                sum(flat_profile.exclusive_ns) FILTER (WHERE regions.paradigm = 'mpi'), 0
            ) AS mpi_ns,
            coalesce(
                sum(flat_profile.exclusive_ns) FILTER (
                    WHERE mpi_calls.is_setup
                ),
                0
            ) AS mpi_setup_ns,
            coalesce(sum(flat_profile.visit_count), 0) AS visit_count
        FROM flat_profile
        INNER JOIN regions ON flat_profile.region_id = regions.region_id
        LEFT JOIN mpi_calls ON flat_profile.region_id = mpi_calls.region_id
    ),

    waited AS (
        SELECT
            coalesce(sum(wait_ns) FILTER (WHERE NOT is_extended), 0) AS wait_ns,
            count(*) FILTER (WHERE NOT is_extended) AS wait_count,
            coalesce(sum(wait_ns) FILTER (WHERE is_extended), 0) AS beyond_ns,
            count(*) FILTER (WHERE is_extended) AS beyond_count
        FROM wait_states
        WHERE NOT is_completion
    ),

    exchanged AS (
        SELECT count(*) AS message_count, coalesce(sum(bytes), 0) AS message_bytes
        FROM messages
    ),

    gathered AS (SELECT count(*) AS collective_count FROM collectives),

    forked AS (
        SELECT
            (SELECT count(*) FROM thread_teams) AS team_count,
            (SELECT count(*) FROM task_fragments WHERE is_first) AS task_count,
            (SELECT count(*) FROM lock_operations) AS lock_count,
            (SELECT count(*) FROM rma_operations WHERE call_path_id IS NOT NULL) AS rma_count,
            (SELECT count(*) FROM collective_file_calls) AS file_call_count
    )

SELECT
    runs.run_id,
    runs.end_ns - runs.begin_ns AS duration_ns,
    runs.process_count,
    runs.location_count,
    runs.record_count,
    profiled.visit_count::BIGINT AS visit_count,
    profiled.total_ns::BIGINT AS total_ns,
    profiled.mpi_ns::BIGINT AS mpi_ns,
    profiled.mpi_ns / nullif(profiled.total_ns, 0) AS mpi_ratio,
    profiled.mpi_setup_ns::BIGINT AS mpi_setup_ns,
    waited.wait_ns::BIGINT AS wait_ns,
    waited.wait_ns / nullif(profiled.total_ns, 0) AS wait_ratio,
    waited.wait_count,
    waited.beyond_ns::BIGINT AS beyond_ns,
    waited.beyond_ns / nullif(profiled.total_ns, 0) AS beyond_ratio,
    waited.beyond_count,
    exchanged.message_count,
    exchanged.message_bytes::BIGINT AS message_bytes,
    gathered.collective_count,
    forked.team_count,
    forked.task_count,
    forked.lock_count,
    forked.rma_count,
    forked.file_call_count
FROM runs
CROSS JOIN profiled
CROSS JOIN waited
CROSS JOIN exchanged
CROSS JOIN gathered
CROSS JOIN forked
ORDER BY runs.run_id
