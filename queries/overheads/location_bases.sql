-- Overhead class of each location while it visits no region, and the time span of that class.
--
-- Workers of a team are idle threads while their process runs, from its first to its last record.
-- All other time outside visits is unidentified overhead.
--
-- Locations that only record metrics have no time to spend; they have no base.
--
-- Grain:      one row per location with code
-- Inputs:     locations, thread_team_members, runs, overhead_classes
-- Output:     location_bases
-- Parameters: none
-- Source:     Truong and Fahringer 2001 (SCALEA)
-- Assumes:    the first thread of a process is its master
WITH
    processes AS (
        SELECT
            location_group_id,
            min(begin_ns) AS begin_ns,
            max(end_ns) AS end_ns
        FROM locations
        GROUP BY location_group_id
    ),

    workers AS (
        SELECT
            locations.location_id,
            processes.begin_ns,
            processes.end_ns
        FROM locations
        INNER JOIN processes USING (location_group_id)
        SEMI JOIN thread_team_members USING (location_id)
        WHERE locations.thread > 0
    )

SELECT
    locations.location_id,
    base_classes.overhead_id,
    outside_class.overhead_id AS outside_id,
    coalesce(workers.begin_ns, runs.begin_ns) AS begin_ns,
    coalesce(workers.end_ns, runs.end_ns) AS end_ns,
    runs.begin_ns AS run_begin_ns,
    runs.end_ns AS run_end_ns
FROM locations
LEFT JOIN workers USING (location_id)
CROSS JOIN runs
INNER JOIN overhead_classes AS base_classes
    ON
        base_classes.overhead_subclass
        = if(workers.location_id IS NULL, 'outside visits', 'idle threads')
INNER JOIN overhead_classes AS outside_class
    ON outside_class.overhead_subclass = 'outside visits'
WHERE locations.kind <> 'metric' OR locations.visit_count > 0
