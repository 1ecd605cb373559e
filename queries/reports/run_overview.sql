-- Overview of the run in one row: duration, size, and waiting in the main part.
--
-- Grain:      one row
-- Inputs:     locations, runs, main_part, main_times, flat_profile, regions, main_waits, messages,
--             collectives, thread_teams, task_fragments, lock_operations, rma_operations,
--             collective_file_calls
-- Output:     report section summary
-- Parameters: none
-- Assumes:    exclusive times of all call paths sum to the time of all locations
WITH
    profiled AS (
        SELECT
            coalesce(sum(main_times.time_ns), 0) AS total_ns,
            coalesce(sum(main_times.time_ns) FILTER (WHERE regions.paradigm = 'mpi'), 0) AS mpi_ns,
            coalesce(sum(main_times.time_ns) FILTER (WHERE locations.kind = 'gpu'), 0) AS stream_ns
        FROM main_times
        INNER JOIN regions ON main_times.region_id = regions.region_id
        INNER JOIN locations ON main_times.location_id = locations.location_id
    ),

    visited AS (SELECT coalesce(sum(visit_count), 0) AS visit_count FROM flat_profile),

    waited AS (
        SELECT
            coalesce(sum(wait_ns) FILTER (WHERE NOT is_extended), 0) AS wait_ns,
            coalesce(sum(main_ns) FILTER (WHERE NOT is_extended), 0) AS main_wait_ns,
            count(*) FILTER (WHERE NOT is_extended) AS wait_count,
            coalesce(sum(wait_ns) FILTER (WHERE is_extended), 0) AS extended_ns,
            coalesce(sum(main_ns) FILTER (WHERE is_extended), 0) AS main_extended_ns,
            count(*) FILTER (WHERE is_extended) AS extended_count
        FROM main_waits
    ),

    exchanged AS (
        SELECT count(*) AS message_count, coalesce(sum(bytes), 0) AS message_bytes
        FROM messages
    ),

    gathered AS (SELECT count(*) AS collective_count FROM collectives),

    placed AS (
        SELECT
            count(*) FILTER (WHERE kind NOT IN ('gpu', 'metric')) AS thread_count,
            count(*) FILTER (WHERE kind = 'gpu') AS stream_count,
            count(*) FILTER (WHERE kind = 'metric') AS metric_location_count
        FROM locations
    ),

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
    main_part.end_ns - main_part.begin_ns AS run_ns,
    runs.end_ns - runs.begin_ns AS whole_ns,
    runs.process_count,
    runs.location_count,
    placed.thread_count,
    placed.stream_count,
    placed.metric_location_count,
    runs.record_count,
    visited.visit_count::BIGINT AS visit_count,
    profiled.total_ns::BIGINT AS total_ns,
    profiled.stream_ns::BIGINT AS stream_ns,
    profiled.mpi_ns::BIGINT AS mpi_ns,
    profiled.mpi_ns / nullif(profiled.total_ns, 0) AS mpi_ratio,
    waited.wait_ns::BIGINT AS wait_ns,
    waited.main_wait_ns / nullif(profiled.total_ns, 0) AS wait_ratio,
    waited.wait_count,
    waited.extended_ns::BIGINT AS extended_ns,
    waited.main_extended_ns / nullif(profiled.total_ns, 0) AS extended_ratio,
    waited.extended_count,
    exchanged.message_count,
    exchanged.message_bytes::BIGINT AS message_bytes,
    gathered.collective_count,
    forked.team_count,
    forked.task_count,
    forked.lock_count,
    forked.rma_count,
    forked.file_call_count
FROM runs
POSITIONAL JOIN main_part
POSITIONAL JOIN profiled
POSITIONAL JOIN visited
POSITIONAL JOIN waited
POSITIONAL JOIN exchanged
POSITIONAL JOIN gathered
POSITIONAL JOIN placed
POSITIONAL JOIN forked
ORDER BY runs.run_id
