-- Share of a run's time that its processes spend in communication.
--
-- Grain:      one row per run with call sites
-- Inputs:     run_tasks, call_site_tasks, counted_calls
-- Output:     communication_times
-- Parameters: none
-- Source:     Vetter and McCracken 2001, aggregate time and its communication part
-- Assumes:    a run with call sites lists all its processes
WITH
    known AS (SELECT DISTINCT campaign_run_id FROM call_site_tasks),

    counted AS (
        SELECT campaign_run_id, rank, sum(total_ns)::BIGINT AS communication_ns
        FROM counted_calls
        GROUP BY campaign_run_id, rank
    ),

    -- If a call site of the run is known, processes without calls have 0 ns of communication.
    tasks AS (
        SELECT
            run_tasks.campaign_run_id,
            run_tasks.time_ns,
            CASE
                WHEN known.campaign_run_id IS NULL THEN run_tasks.communication_ns
                ELSE coalesce(counted.communication_ns, 0)
            END AS communication_ns
        FROM run_tasks
        LEFT JOIN known ON run_tasks.campaign_run_id = known.campaign_run_id
        LEFT JOIN counted
            ON
                run_tasks.campaign_run_id = counted.campaign_run_id
                AND run_tasks.rank = counted.rank
    )

SELECT
    campaign_run_id,
    count(*)::INTEGER AS process_count,
    sum(time_ns)::BIGINT AS application_ns,
    sum(communication_ns)::BIGINT AS communication_ns,
    sum(communication_ns)::DOUBLE / nullif(sum(time_ns), 0)::DOUBLE AS communication_share,
    min(time_ns) AS shortest_application_ns,
    ((sum(time_ns) + count(*) // 2) // count(*))::BIGINT AS mean_application_ns,
    max(time_ns) AS longest_application_ns,
    min(communication_ns) AS shortest_communication_ns,
    ((sum(communication_ns) + count(*) // 2) // count(*))::BIGINT AS mean_communication_ns,
    max(communication_ns) AS longest_communication_ns
FROM tasks
GROUP BY campaign_run_id
ORDER BY campaign_run_id
