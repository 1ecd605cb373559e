-- Wait states in a window of the run, with their causing locations.
--
-- Grain:      one row per wait that overlaps the window
-- Inputs:     wait_states, metrics
-- Output:     report section timeline
-- Parameters: $window_begin_ns  begin of the window, since the trace's zero (BIGINT)
--             $window_end_ns    end of the window (BIGINT)
--             $row_limit        maximum number of waits, longest first (BIGINT, default 20000)
WITH
    numbered AS (
        SELECT metric, title, row_number() OVER (ORDER BY metric) AS finding_number
        FROM metrics
    ),

    longest AS (
        SELECT visit_id, property, location_id, start_ns, wait_ns, cause_location_id
        FROM wait_states
        WHERE
            NOT is_completion
            AND start_ns < $window_end_ns::BIGINT
            AND start_ns + wait_ns > $window_begin_ns::BIGINT
        ORDER BY wait_ns DESC, visit_id, property
        LIMIT $row_limit::BIGINT
    )

SELECT
    longest.location_id,
    longest.start_ns,
    longest.wait_ns,
    longest.cause_location_id,
    numbered.title AS finding,
    longest.visit_id,
    numbered.finding_number
FROM longest
INNER JOIN numbered ON longest.property = numbered.metric
ORDER BY longest.start_ns, longest.visit_id, numbered.finding_number
