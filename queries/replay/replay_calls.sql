-- Calls that take part in a dependency, for running the trace again.
--
-- Grain:      one row per call
-- Inputs:     replay_edges, replay_meetings, visits
-- Needs rows: replay_edges or replay_meetings
-- Output:     replay_calls
-- Parameters: none
-- Source:     the dependencies of replay_edges and replay_meetings
-- Assumes:    nothing
WITH
    moments AS (
        SELECT boundary_id FROM replay_edges
        UNION ALL
        SELECT cause_boundary_id FROM replay_edges
        UNION ALL
        SELECT boundary_id FROM replay_meetings
        UNION ALL
        SELECT cause_boundary_id FROM replay_meetings
    )

SELECT
    visit_id,
    location_id,
    call_path_id,
    enter_ns,
    leave_ns
FROM visits
WHERE visit_id IN (SELECT boundary_id // 2 FROM moments WHERE boundary_id >= 0)
