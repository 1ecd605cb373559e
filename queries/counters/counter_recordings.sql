-- Series of values of a counter by one location, and whether they are at every enter and leave.
--
-- Measurement systems write the values right before the enter or the leave, at the same time. So
-- the innermost visit of a value is the visit that is left, or the caller of the one entered:
--
--     main   [value  a [        value ] value  ]      values of main: enter of a, leave of main
--
-- The values of a call path must be as many as its leaves and the enters below it, at the same
-- times. Times are compared by the sum of their hashes.
--
-- Grain:      one row per location, counter and described part of the system
-- Inputs:     counter_values, counters, visits, call_paths
-- Needs rows: counter_values
-- Output:     counter_recordings
-- Parameters: none
-- Source:     OTF2, metric occurrence "synchronous strict"
-- Assumes:    nothing
WITH
    valued AS (
        SELECT
            location_id,
            counter_id,
            counter_instance_id,
            coalesce(call_path_id, -1) AS call_path_id,
            time_ns,
            coalesce(
                value_integer < lag(value_integer) OVER series,
                value_float < lag(value_float) OVER series
            ) AS is_falling
        FROM counter_values
        WINDOW
            series AS (
                PARTITION BY location_id, counter_id, counter_instance_id ORDER BY sequence
            )
    ),

    by_call_path AS (
        SELECT
            location_id,
            counter_id,
            counter_instance_id,
            call_path_id,
            count(*) AS value_count,
            sum(hash(time_ns)::HUGEINT) AS time_hash,
            min(time_ns) AS first_ns,
            max(time_ns) AS last_ns,
            count(*) FILTER (WHERE is_falling) AS negative_steps
        FROM valued
        GROUP BY ALL
    ),

    border_counts AS (
        SELECT
            location_id,
            count(*) + count(*) FILTER (WHERE is_closed) AS border_count
        FROM visits
        GROUP BY location_id
    ),

    -- Only a counter that each location records for itself may be strict, with as many values as
    -- there are enters and leaves; for other locations, visits need not be compared.
    own_locations AS (
        SELECT DISTINCT location_id
        FROM (
            SELECT
                location_id,
                sum(value_count) AS value_count
            FROM by_call_path
            WHERE counter_instance_id IS NULL
            GROUP BY location_id, counter_id
        )
        INNER JOIN border_counts USING (location_id)
        WHERE value_count = border_count
    ),

    borders AS (
        SELECT
            location_id,
            call_path_id,
            leave_ns AS time_ns
        FROM visits
        SEMI JOIN own_locations USING (location_id)
        WHERE is_closed
        UNION ALL
        SELECT
            visits.location_id,
            if(visits.parent_visit_id IS NULL, -1, call_paths.parent_call_path_id) AS call_path_id,
            visits.enter_ns AS time_ns
        FROM visits
        INNER JOIN call_paths USING (call_path_id)
        SEMI JOIN own_locations ON visits.location_id = own_locations.location_id
    ),

    bordered AS (
        SELECT
            location_id,
            call_path_id,
            count(*) AS border_count,
            sum(hash(time_ns)::HUGEINT) AS time_hash
        FROM borders
        GROUP BY ALL
    ),

    bordered_locations AS (
        SELECT
            location_id,
            count(*) AS call_path_count
        FROM bordered
        GROUP BY location_id
    ),

    summed AS (
        SELECT
            by_call_path.location_id,
            by_call_path.counter_id,
            by_call_path.counter_instance_id,
            sum(by_call_path.value_count)::BIGINT AS value_count,
            min(by_call_path.first_ns) AS first_ns,
            max(by_call_path.last_ns) AS last_ns,
            count(*) AS call_path_count,
            coalesce(
                bool_and(
                    by_call_path.value_count = bordered.border_count
                    AND by_call_path.time_hash = bordered.time_hash
                ),
                FALSE
            )
            AND count(*) = count(bordered.border_count) AS is_matching,
            sum(by_call_path.negative_steps)::BIGINT AS negative_steps
        FROM by_call_path
        LEFT JOIN bordered
            ON
                by_call_path.location_id = bordered.location_id
                AND by_call_path.call_path_id = bordered.call_path_id
        GROUP BY ALL
    )

SELECT
    (row_number() OVER numbering - 1)::INTEGER AS recording_id,
    summed.location_id,
    summed.counter_id,
    summed.counter_instance_id,
    summed.value_count,
    summed.first_ns,
    summed.last_ns,
    coalesce(
        summed.counter_instance_id IS NULL
        AND summed.is_matching
        AND summed.call_path_count = bordered_locations.call_path_count,
        FALSE
    ) AS is_strict,
    if(counters.accumulation = 'accumulated', summed.negative_steps, 0) AS negative_steps
FROM summed
INNER JOIN counters ON summed.counter_id = counters.counter_id
LEFT JOIN bordered_locations ON summed.location_id = bordered_locations.location_id
WINDOW
    numbering AS (
        ORDER BY summed.location_id, summed.counter_id, summed.counter_instance_id NULLS FIRST
    )
ORDER BY recording_id
