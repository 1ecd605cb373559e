-- Time in which the measurement system wrote its buffer, by the innermost visit at that moment.
--
-- Of the last enter and the last leave before a flush, the later one says which visit is innermost:
-- the visit that was entered, or the caller of the one that was left.
--
-- Grain:      one row per call path and location with such time
-- Inputs:     visits, measurement_gaps, call_paths
-- Needs rows: measurement_gaps
-- Output:     flush_times
-- Parameters: none
-- Source:     none
-- Assumes:    visits of a location are nested
WITH
    flushes AS (
        SELECT location_id, begin_ns, end_ns - begin_ns AS flush_ns
        FROM measurement_gaps
        WHERE kind = 'buffer_flush'
    ),

    entered AS (
        SELECT flushes.*, visits.visit_id, visits.call_path_id, visits.enter_ns
        FROM flushes
        ASOF LEFT JOIN visits
            ON flushes.location_id = visits.location_id AND flushes.begin_ns >= visits.enter_ns
    ),

    placed AS (
        SELECT
            entered.location_id,
            entered.flush_ns,
            if(
                visits.visit_id IS NULL
                OR (entered.enter_ns >= visits.leave_ns AND entered.visit_id <> visits.visit_id),
                entered.call_path_id,
                call_paths.parent_call_path_id
            ) AS call_path_id
        FROM entered
        ASOF LEFT JOIN visits
            ON entered.location_id = visits.location_id AND entered.begin_ns >= visits.leave_ns
        LEFT JOIN call_paths ON visits.call_path_id = call_paths.call_path_id
    )

SELECT
    call_path_id,
    location_id,
    sum(flush_ns)::BIGINT AS flush_ns
FROM placed
WHERE call_path_id IS NOT NULL
GROUP BY call_path_id, location_id
ORDER BY call_path_id, location_id
