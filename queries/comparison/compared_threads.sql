-- CPU threads of runs, with the class of their time outside of visits, to compare runs.
--
-- Grain:      one row per run and CPU thread
-- Inputs:     locations, thread_team_members, focus, runs, overhead_classes
-- Output:     overheads of a run against another, campaign table run_threads
-- Parameters: none
-- Assumes:    tables hold several runs, distinguished by run_id
WITH
    workers AS (
        SELECT DISTINCT
            thread_team_members.run_id,
            thread_team_members.location_id
        FROM thread_team_members
    ),

    timed AS (
        SELECT
            focus.run_id,
            focus.location_id,
            sum(focus.end_ns - focus.begin_ns)::BIGINT AS main_ns
        FROM focus
        GROUP BY focus.run_id, focus.location_id
    )

SELECT
    locations.run_id,
    locations.location_id,
    locations.location_group_id,
    locations.thread = 0 AS is_first,
    timed.main_ns,
    timed.main_ns = runs.end_ns - runs.begin_ns AS is_whole,
    outside.overhead_id
FROM locations
INNER JOIN timed
    ON locations.run_id = timed.run_id AND locations.location_id = timed.location_id
INNER JOIN runs ON locations.run_id = runs.run_id
LEFT JOIN workers
    ON locations.run_id = workers.run_id AND locations.location_id = workers.location_id
INNER JOIN overhead_classes AS outside
    ON
        locations.run_id = outside.run_id
        AND outside.overhead_subclass::VARCHAR
        = if(workers.location_id IS NULL OR locations.thread = 0, 'outside visits', 'idle threads')
WHERE locations.kind IN ('cpu_thread', 'unknown')
ORDER BY locations.run_id, locations.location_id
