-- Visits in a window of the run, each after its caller.
--
-- Grain:      one row per region visit that overlaps the window
-- Inputs:     visits
-- Output:     report section timeline
-- Parameters: $window_begin_ns  begin of the window, since the trace's zero (BIGINT)
--             $window_end_ns    end of the window (BIGINT)
--             $row_limit        maximum number of visits, longest first (BIGINT, default 20000)
WITH
    longest AS (
        SELECT location_id, visit_id, region_id, enter_ns, leave_ns
        FROM visits
        WHERE
            enter_ns < $window_end_ns::BIGINT
            AND leave_ns > $window_begin_ns::BIGINT
        ORDER BY leave_ns - enter_ns DESC, visit_id
        LIMIT $row_limit::BIGINT
    )

SELECT
    location_id,
    visit_id,
    region_id,
    enter_ns,
    leave_ns
FROM longest
ORDER BY visit_id
