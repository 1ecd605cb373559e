-- All time lost in waiting, each with its cause.
--
-- Grain:      one row per visit and property that lost time in it
-- Inputs:     late_sender, late_receiver
-- Output:     wait_states
-- Parameters: none
-- Source:     see the queries of the properties
-- Assumes:    nothing
FROM late_sender
UNION ALL
FROM late_receiver
ORDER BY property, visit_id
