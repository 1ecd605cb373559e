-- How large a run was, and how long it took.
--
-- Grain:      one row per run
-- Inputs:     runs, locations, location_groups
-- Output:     campaign table campaign_runs
-- Parameters: none
-- Assumes:    processes have as many threads as the one with the most
WITH
    processes AS (
        SELECT count(*) AS thread_count
        FROM locations
        INNER JOIN location_groups USING (location_group_id)
        WHERE location_groups.kind = 'process' AND locations.kind = 'cpu_thread'
        GROUP BY location_group_id
    )

SELECT
    greatest(runs.process_count, 1) AS processes,
    greatest(coalesce((SELECT max(thread_count) FROM processes), 1), 1)::INTEGER AS threads,
    runs.end_ns - runs.begin_ns AS whole_time_ns
FROM runs
ORDER BY runs.run_id
