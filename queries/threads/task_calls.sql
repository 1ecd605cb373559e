-- Explicit tasks that ran without suspension: they are treated like calls from the construct that
-- scheduled them.
--
-- Time in that construct before a task begins, since the previous record, belongs to the root of
-- the tasks. Time after its last task is its own:
--
--     barrier   [    [task 1 ]  [task 2    ]     ]      barrier 80..90
--     time      0    10     20  30         80    90     TASKS 0..10 and 20..30
--
-- Grain:      one row per task with a single interval, the visit of its region
-- Inputs:     task_fragments, visits, call_paths
-- Needs rows: task_fragments
-- Output:     task_calls
-- Parameters: none
-- Source:     Scalasca, "critical-path analysis": time is attributed by the record that ends it
-- Assumes:    nothing
WITH
    placed AS (
        SELECT
            fragments.location_id,
            fragments.scheduling_visit_id,
            stubs.parent_call_path_id AS scheduling_call_path_id,
            fragments.sequence,
            fragments.is_first,
            fragments.begin_ns,
            fragments.end_ns
        FROM task_fragments AS fragments
        INNER JOIN call_paths AS stubs USING (call_path_id)
        WHERE fragments.scheduling_visit_id IS NOT NULL
    ),

    located AS (
        SELECT
            location_id,
            visit_id,
            parent_visit_id,
            call_path_id,
            enter_ns,
            leave_ns
        FROM visits
        SEMI JOIN placed USING (location_id)
    ),

    called AS (
        SELECT
            located.location_id,
            located.visit_id,
            placed.sequence,
            call_paths.parent_call_path_id AS root_call_path_id,
            placed.scheduling_visit_id,
            placed.scheduling_call_path_id,
            schedulers.enter_ns AS scheduler_enter_ns,
            located.enter_ns,
            located.leave_ns
        FROM placed
        INNER JOIN located
            ON
                placed.location_id = located.location_id
                AND placed.begin_ns = located.enter_ns
                AND placed.end_ns = located.leave_ns
        INNER JOIN call_paths
            ON located.call_path_id = call_paths.call_path_id
        INNER JOIN located AS schedulers ON placed.scheduling_visit_id = schedulers.visit_id
        WHERE
            placed.is_first AND located.parent_visit_id IS NULL AND call_paths.kind = 'task'
        QUALIFY count(*) OVER (PARTITION BY located.visit_id) = 1
    ),

    -- Tasks and other callees of the scheduling construct.
    inside AS (
        SELECT
            location_id,
            sequence,
            scheduling_visit_id,
            begin_ns AS enter_ns,
            end_ns AS leave_ns
        FROM placed
        UNION ALL
        SELECT
            location_id,
            NULL,
            parent_visit_id,
            enter_ns,
            leave_ns
        FROM located
        WHERE parent_visit_id IN (SELECT scheduling_visit_id FROM placed)
    ),

    earlier AS (
        SELECT
            location_id,
            sequence,
            max(leave_ns) OVER (
                PARTITION BY scheduling_visit_id
                ORDER BY enter_ns, leave_ns, sequence
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS leave_ns
        FROM inside
    )

SELECT
    called.location_id,
    called.visit_id,
    called.root_call_path_id,
    called.scheduling_visit_id,
    called.scheduling_call_path_id,
    coalesce(earlier.leave_ns, called.scheduler_enter_ns) AS since_ns,
    called.enter_ns,
    called.leave_ns
FROM called
INNER JOIN earlier USING (location_id, sequence)
