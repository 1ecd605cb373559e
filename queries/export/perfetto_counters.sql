-- Values of counters in Chrome trace event format: counter events.
--
-- Viewers show one counter per process and name. So the name has the location if several locations
-- of a process record the counter.
--
-- Grain:      one row per value of a counter in the window
-- Inputs:     counter_values, counters, locations
-- Output:     export perfetto
-- Parameters: $window_begin_ns  begin of the window, since the trace's zero (BIGINT)
--             $window_end_ns    end of the window (BIGINT)
-- Source:     Trace Event Format, counter events
WITH
    series AS (
        SELECT
            recorded.location_id,
            recorded.counter_id,
            locations.rank,
            counters.name || if(
                count(*) OVER (PARTITION BY locations.rank, counters.name) > 1,
                ', ' || locations.name || ' (' || locations.thread || ')',
                ''
            ) AS name,
            power(counters.base::DOUBLE, counters.exponent) AS factor
        FROM (SELECT DISTINCT location_id, counter_id FROM counter_values) AS recorded
        INNER JOIN counters ON recorded.counter_id = counters.counter_id
        INNER JOIN locations ON recorded.location_id = locations.location_id
    ),

    valued AS (
        SELECT
            location_id,
            counter_id,
            sequence,
            time_ns,
            counter_instance_id,
            coalesce(value_integer::DOUBLE, value_float) AS value
        FROM counter_values
        WHERE
            time_ns < $window_end_ns::BIGINT
            AND time_ns >= $window_begin_ns::BIGINT
    )

SELECT
    to_json({
        'ph': 'C',
        'name': series.name,
        'pid': series.rank,
        'ts': valued.time_ns / 1000,
        'args': {'value': valued.value * series.factor}
    })::VARCHAR AS event
FROM valued
INNER JOIN series
    ON
        valued.location_id = series.location_id
        AND valued.counter_id = series.counter_id
WHERE isfinite(valued.value)
ORDER BY
    valued.location_id, valued.sequence, valued.counter_id, valued.counter_instance_id NULLS FIRST
