-- Intervals in which tasks ran, with the overhead classes around them.
--
-- Task numbers are reused; instance identifies the intervals of one task.
--
-- Grain:      one row per interval from start or resumption to suspension or end
-- Inputs:     task_fragments, call_paths, region_classes, location_bases
-- Needs rows: task_fragments
-- Output:     task_stretches
-- Parameters: none
-- Source:     OpenMP 5.2, section 12: tasks are suspended at scheduling points only
-- Assumes:    intervals of one task on a location do not overlap
WITH
    path_classes AS NOT MATERIALIZED (
        SELECT
            call_paths.*,
            region_classes.overhead_id
        FROM call_paths
        INNER JOIN region_classes USING (region_id)
    )

SELECT
    fragments.location_id,
    fragments.thread,
    fragments.number,
    count(*) FILTER (WHERE fragments.is_first) OVER (
        PARTITION BY fragments.location_id, fragments.thread, fragments.number
        ORDER BY fragments.begin_ns, fragments.end_ns
    ) AS instance,
    fragments.begin_ns,
    fragments.end_ns,
    bases.overhead_id AS base_id,
    coalesce(schedulers.overhead_id, bases.overhead_id) AS scheduler_class_id,
    coalesce(schedulers.kind = 'task', FALSE) AS is_scheduled_by_task
FROM task_fragments AS fragments
INNER JOIN location_bases AS bases USING (location_id)
INNER JOIN call_paths AS stubs USING (call_path_id)
LEFT JOIN path_classes AS schedulers ON stubs.parent_call_path_id = schedulers.call_path_id
