-- Time span of each location that the critical path can cover: from entering MPI_Init to entering
-- MPI_Finalize.
--
-- If not all processes call both, as in programs without MPI or in truncated traces, the span is
-- the whole location.
--
-- Grain:      one row per location with records
-- Inputs:     locations, parallel_visits, framing_calls
-- Output:     location_spans
-- Parameters: none
-- Source:     Scalasca, "critical-path analysis": begin and end of the path
-- Assumes:    nothing
SELECT
    locations.location_id,
    locations.thread = 0 AND locations.kind NOT IN ('gpu', 'metric') AS is_process,
    is_process OR locations.location_id IN (SELECT location_id FROM parallel_visits)
        AS is_worker,
    init.visit_id AS begin_visit_id,
    init.call_path_id AS begin_call_path_id,
    coalesce(init.enter_ns, locations.begin_ns) AS begin_ns,
    finalize.visit_id AS end_visit_id,
    coalesce(finalize.enter_ns, locations.end_ns) AS end_ns
FROM locations
LEFT JOIN (FROM framing_calls WHERE NOT is_finalize) AS init USING (location_id)
LEFT JOIN (FROM framing_calls WHERE is_finalize) AS finalize USING (location_id)
WHERE locations.begin_ns IS NOT NULL
