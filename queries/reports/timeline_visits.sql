-- Visits in any of up to six windows of a run that has few visits.
--
-- A visit overlaps a window if the latest end of all windows that begin before its own end comes
-- after its begin. To compare with each window would take twice as long, a join three times.
--
-- Grain:      one row per region visit that overlaps a window
-- Inputs:     visits
-- Output:     report section timeline
-- Parameters: $begins_ns  begins of the windows, since the trace's zero (BIGINT[])
--             $ends_ns    ends of the windows, in the same order (BIGINT[])
-- Assumes:    there are at most six windows; the others of six are null
SELECT
    location_id,
    visit_id,
    region_id,
    enter_ns,
    leave_ns
FROM visits
WHERE
    enter_ns < greatest(
        if(leave_ns > ($begins_ns::BIGINT[])[1], ($ends_ns::BIGINT[])[1], NULL),
        if(leave_ns > ($begins_ns::BIGINT[])[2], ($ends_ns::BIGINT[])[2], NULL),
        if(leave_ns > ($begins_ns::BIGINT[])[3], ($ends_ns::BIGINT[])[3], NULL),
        if(leave_ns > ($begins_ns::BIGINT[])[4], ($ends_ns::BIGINT[])[4], NULL),
        if(leave_ns > ($begins_ns::BIGINT[])[5], ($ends_ns::BIGINT[])[5], NULL),
        if(leave_ns > ($begins_ns::BIGINT[])[6], ($ends_ns::BIGINT[])[6], NULL)
    )
