-- Masters with their number of workers and requests, and the findings about them.
--
-- Grain:      one row per master
-- Inputs:     master_workers, findings, locations
-- Needs rows: master_workers
-- Output:     report section findings
-- Parameters: none
-- Assumes:    a process has at most one master
WITH
    masters AS (
        SELECT
            master_group_id,
            count(*) AS worker_count,
            sum(round_count)::BIGINT AS round_count,
            any_value(confidence) AS confidence
        FROM master_workers
        GROUP BY master_group_id
    ),

    processes AS (
        SELECT
            location_group_id,
            any_value(rank) AS rank
        FROM locations
        GROUP BY location_group_id
    ),

    -- Findings at workers have the master as their cause; findings at the master itself have it as
    -- their location.
    found AS (
        SELECT
            places.location_group_id AS master_group_id,
            sum(findings.value) FILTER (WHERE findings.property = 'master_worker_starving')
                AS starving_ns,
            sum(findings.value) FILTER (WHERE findings.property = 'master_overloaded')
                AS overloaded_ns,
            sum(findings.value) FILTER (WHERE findings.property = 'tasks_too_fine') AS fine_ns,
            count(*) FILTER (WHERE findings.property = 'tasks_too_fine') AS fine_count
        FROM findings
        INNER JOIN locations AS places
            ON
                if(
                    findings.property = 'master_overloaded',
                    findings.location_id,
                    findings.cause_location_id
                ) = places.location_id
        WHERE
            findings.property IN ('master_worker_starving', 'master_overloaded', 'tasks_too_fine')
        GROUP BY places.location_group_id
    )

SELECT
    processes.rank AS master_rank,
    masters.worker_count,
    masters.round_count,
    coalesce(found.starving_ns, 0)::BIGINT AS starving_ns,
    coalesce(found.overloaded_ns, 0)::BIGINT AS overloaded_ns,
    coalesce(found.fine_ns, 0)::BIGINT AS fine_ns,
    coalesce(found.fine_count, 0) AS fine_count,
    masters.confidence
FROM masters
INNER JOIN processes ON masters.master_group_id = processes.location_group_id
LEFT JOIN found ON masters.master_group_id = found.master_group_id
ORDER BY masters.master_group_id
