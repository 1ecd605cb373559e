-- All visits of a run that has few.
--
-- Grain:      one row per region visit
-- Inputs:     visits
-- Output:     report section timeline
-- Parameters: none
SELECT
    location_id,
    visit_id,
    region_id,
    enter_ns,
    leave_ns
FROM visits
