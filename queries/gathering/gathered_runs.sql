-- Size and duration of several runs.
--
-- Grain:      one row per run
-- Inputs:     runs, main_part, locations, location_groups
-- Output:     campaign table campaign_runs
-- Parameters: none
-- Assumes:    tables hold several runs, distinguished by run_id; all processes have as many threads
--             as the largest one
WITH
    processes AS (
        SELECT
            locations.run_id,
            count(*) AS thread_count
        FROM locations
        INNER JOIN location_groups USING (run_id, location_group_id)
        WHERE location_groups.kind = 'process' AND locations.kind = 'cpu_thread'
        GROUP BY locations.run_id, locations.location_group_id
    ),

    largest AS (
        SELECT
            run_id,
            max(thread_count) AS thread_count
        FROM processes
        GROUP BY run_id
    )

SELECT
    runs.run_id,
    greatest(runs.process_count, 1) AS processes,
    coalesce(largest.thread_count, 1)::INTEGER AS threads,
    runs.end_ns - runs.begin_ns AS whole_time_ns,
    coalesce(main_part.end_ns - main_part.begin_ns, 0) AS run_time_ns
FROM runs
LEFT JOIN main_part USING (run_id)
LEFT JOIN largest USING (run_id)
ORDER BY runs.run_id
