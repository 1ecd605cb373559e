-- Periods of locations that tables of the main part cover. Without a focus, this is the main part.
--
-- Grain:      one row per location and period
-- Inputs:     locations, main_part
-- Output:     focus
-- Parameters: none
-- Source:     Wolf and Mohr (EXPERT), Miller et al. 1990 (IPS-2): focus of an analysis
-- Assumes:    nothing
SELECT
    locations.location_id,
    main_part.begin_ns,
    main_part.end_ns
FROM locations
CROSS JOIN main_part
ORDER BY locations.location_id, main_part.begin_ns
