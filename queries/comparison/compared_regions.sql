-- Time of each process in the outermost visits of each region on its first thread, to compare runs.
--
-- Only the focus counts: without one, the main part of the run.
--
-- Grain:      one row per run, region and process with visits
-- Inputs:     visits, call_tree, regions, locations, focus
-- Output:     overheads of a run against another
-- Parameters: none
-- Assumes:    tables hold several runs, distinguished by run_id; regions of one name are one region
WITH
    outermost AS (
        SELECT
            call_tree.run_id,
            call_tree.call_path_id,
            call_tree.location_id
        FROM call_tree
        INNER JOIN locations
            ON
                call_tree.run_id = locations.run_id
                AND call_tree.location_id = locations.location_id
        WHERE
            (call_tree.visit_count > 0 OR call_tree.shortest_ns IS NOT NULL)
            AND NOT call_tree.is_recursive
            AND locations.thread = 0
            AND locations.kind IN ('cpu_thread', 'unknown')
    )

SELECT
    visits.run_id,
    regions.name AS region,
    visits.location_id,
    sum(
        greatest(
            least(visits.leave_ns, focus.end_ns) - greatest(visits.enter_ns, focus.begin_ns), 0
        )
    )::BIGINT AS time_ns
FROM visits
INNER JOIN outermost
    ON
        visits.run_id = outermost.run_id
        AND visits.call_path_id = outermost.call_path_id
        AND visits.location_id = outermost.location_id
INNER JOIN regions
    ON visits.run_id = regions.run_id AND visits.region_id = regions.region_id
INNER JOIN focus ON visits.run_id = focus.run_id AND visits.location_id = focus.location_id
GROUP BY visits.run_id, regions.name, visits.location_id
ORDER BY visits.run_id, region, visits.location_id
