-- Threads that work in teams, except for the first thread of their process, which forks the teams.
--
-- Grain:      one row per location that worked in a team of its process
-- Inputs:     parallel_visits, locations
-- Needs rows: parallel_visits
-- Output:     team_workers
-- Parameters: none
-- Source:     Scalasca pattern reference, "OpenMP Idle Threads Time"
-- Assumes:    the first thread of a process is its master
SELECT
    workers.location_id,
    masters.location_id AS master_location_id
FROM locations AS workers
INNER JOIN locations AS masters USING (location_group_id)
WHERE
    workers.thread > 0
    AND workers.location_id IN (SELECT location_id FROM parallel_visits)
    AND masters.thread = 0
    AND masters.location_id IN (SELECT location_id FROM parallel_visits)
