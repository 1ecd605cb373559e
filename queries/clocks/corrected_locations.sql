-- Locations whose times are corrected: all of them if clocks contradict each other, else none.
--
-- Grain:      one row per location with records
-- Inputs:     locations, clock_violations
-- Output:     corrected_locations
-- Parameters: $clock_correction  auto: if clocks contradict each other; always; or off
--                                (VARCHAR, default auto)
-- Source:     Becker et al. 2008, "Replay-based synchronization of timestamps in event traces"
-- Assumes:    nothing
SELECT
    location_id,
    begin_ns,
    end_ns
FROM locations
WHERE
    begin_ns IS NOT NULL
    AND CASE $clock_correction::VARCHAR
        WHEN 'always' THEN TRUE
        WHEN 'auto' THEN EXISTS (FROM clock_violations)
        ELSE FALSE
    END
