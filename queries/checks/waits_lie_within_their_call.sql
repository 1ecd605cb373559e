-- A wait begins and ends within its call.
--
-- Grain:      one row per wait state outside its call
-- Inputs:     wait_states, visits
-- Output:     offending rows
-- Parameters: none
-- Source:     Scalasca pattern reference: a wait cannot outlast its call
-- Assumes:    nothing
SELECT
    wait_states.property,
    wait_states.visit_id,
    wait_states.start_ns,
    wait_states.wait_ns,
    visits.enter_ns,
    visits.leave_ns
FROM wait_states
LEFT JOIN visits USING (visit_id)
WHERE
    visits.visit_id IS NULL
    OR wait_states.location_id <> visits.location_id
    OR wait_states.call_path_id <> visits.call_path_id
    OR wait_states.start_ns < visits.enter_ns
    OR wait_states.start_ns + wait_states.wait_ns > visits.leave_ns
ORDER BY wait_states.property, wait_states.visit_id
