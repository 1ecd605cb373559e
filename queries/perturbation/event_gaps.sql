-- Shortest gaps between neighboring enter and leave records of each CPU thread.
--
-- Recording an event takes at most the time until the next event. Most gaps also hold work of the
-- program, so that only the shortest ones say something: the first percentile leaves out gaps that
-- are short by chance. Metric records may lie between the two records, other records may not:
--
--     Enter  Metric Enter  MpiSend  Leave  Leave
--     10     .      40     50       60     75      gaps: 30, 15
--
-- Records at the time of an enter or leave record lie inside the visit.
--
-- Grain:      one row per CPU thread with gaps
-- Inputs:     visits, locations, mpi_operations, thread_events, lock_operations, rma_operations,
--             io_operations, parameter_values, samples, measurement_gaps
-- Output:     event_gaps
-- Parameters: none
-- Source:     nearest rank as percentile
-- Assumes:    nothing
WITH
    -- Records between enter and leave records, in the calls that contain them.
    others AS (
        SELECT
            location_id,
            unnest([begin_ns, time_ns]) AS time_ns,
            enter_ns,
            leave_ns
        FROM mpi_operations
        UNION ALL
        SELECT
            location_id,
            unnest([begin_ns, time_ns]) AS time_ns,
            enter_ns,
            leave_ns
        FROM rma_operations
        UNION ALL
        SELECT location_id, time_ns, enter_ns, leave_ns FROM lock_operations
        UNION ALL
        SELECT location_id, time_ns, enter_ns, leave_ns FROM io_operations
        UNION ALL
        SELECT location_id, time_ns, NULL, NULL FROM thread_events
        UNION ALL
        SELECT location_id, time_ns, NULL, NULL FROM parameter_values
        UNION ALL
        SELECT location_id, time_ns, NULL, NULL FROM samples
        UNION ALL
        SELECT location_id, unnest([begin_ns, end_ns]), NULL, NULL FROM measurement_gaps
    ),

    -- Of one time, records at the end of their call come first, then enter and leave records.
    records AS (
        SELECT location_id, enter_ns AS time_ns, 1::TINYINT AS place FROM visits
        UNION ALL
        SELECT location_id, leave_ns, 1::TINYINT FROM visits
        UNION ALL
        SELECT location_id, time_ns, if(time_ns = leave_ns AND enter_ns < leave_ns, 0, 2)::TINYINT
        FROM others
        WHERE time_ns IS NOT NULL
    ),

    gaps AS (
        SELECT
            location_id,
            time_ns - lag(time_ns) OVER ordered AS gap_ns,
            place = 1 AND lag(place) OVER ordered = 1 AS is_pair
        FROM records
        WINDOW ordered AS (PARTITION BY location_id ORDER BY time_ns, place)
    )

SELECT
    gaps.location_id,
    count(*) AS gap_count,
    quantile_disc(gaps.gap_ns, 0.01) AS short_gap_ns
FROM gaps
INNER JOIN locations USING (location_id)
WHERE gaps.is_pair AND locations.kind NOT IN ('gpu', 'metric')
GROUP BY gaps.location_id
ORDER BY gaps.location_id
