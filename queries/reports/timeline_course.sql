-- Main region of every location in each bin of the run. Level 0 has the coarsest bins.
--
-- Grain:      one row per level, location and bin in which the location was in some visit
-- Inputs:     timeline_bins
-- Output:     timeline_course
-- Parameters: none
SELECT
    level,
    location_id,
    bin,
    begin_ns,
    end_ns,
    region_id,
    time_ns
FROM timeline_bins
