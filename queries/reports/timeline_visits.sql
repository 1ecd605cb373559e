-- Visits in any of up to six windows of a run that has few visits.
--
-- Grain:      one row per region visit that overlaps a window
-- Inputs:     visits
-- Output:     report section timeline
-- Parameters: $begins_ns  begins of the windows, since the trace's zero (BIGINT[])
--             $ends_ns    ends of the windows (BIGINT[])
-- Assumes:    comparisons with windows that are not there are null; a join would take three times
--             as long
SELECT
    location_id,
    visit_id,
    region_id,
    enter_ns,
    leave_ns
FROM visits
WHERE
    (enter_ns < ($ends_ns::BIGINT[])[1] AND leave_ns > ($begins_ns::BIGINT[])[1])
    OR (enter_ns < ($ends_ns::BIGINT[])[2] AND leave_ns > ($begins_ns::BIGINT[])[2])
    OR (enter_ns < ($ends_ns::BIGINT[])[3] AND leave_ns > ($begins_ns::BIGINT[])[3])
    OR (enter_ns < ($ends_ns::BIGINT[])[4] AND leave_ns > ($begins_ns::BIGINT[])[4])
    OR (enter_ns < ($ends_ns::BIGINT[])[5] AND leave_ns > ($begins_ns::BIGINT[])[5])
    OR (enter_ns < ($ends_ns::BIGINT[])[6] AND leave_ns > ($begins_ns::BIGINT[])[6])
