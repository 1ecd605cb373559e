-- Counters in Chrome trace event format: values as recorded, accumulated ones as rates.
--
-- An accumulated counter such as PAPI_TOT_INS only grows. Its event at a value has the growth up to
-- the next value in the window, per second:
--
--     time_ns  0     500   2500            ts   0      0.5
--     value    100   150   250             rate 1e8    5e7
--
-- Counters declared as accumulated that fall are levels, as in counters_over_time.
--
-- Viewers show one counter per process and name. So the name has the location if several locations
-- of a process record the counter.
--
-- Grain:      one row per value of a counter in the window, or step between two values
-- Inputs:     counter_values, counters, counter_recordings, locations
-- Output:     export perfetto
-- Parameters: $window_begin_ns  begin of the window, since the trace's zero (BIGINT)
--             $window_end_ns    end of the window (BIGINT)
-- Source:     Trace Event Format, counter events
WITH
    falling AS (
        SELECT counter_id
        FROM counter_recordings
        WHERE negative_steps > 0
    ),

    accumulated AS (
        SELECT counter_id
        FROM counters
        ANTI JOIN falling USING (counter_id)
        WHERE accumulation = 'accumulated'
    ),

    series AS (
        SELECT
            recorded.location_id,
            recorded.counter_id,
            locations.rank,
            counters.name || if(recorded.counter_id IN (FROM accumulated), ' per second', '')
            || if(
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
    ),

    -- A step of no length has no rate.
    rated AS (
        SELECT
            * REPLACE (
                (lead(value) OVER steps - value) * 1e9
                / nullif(lead(time_ns) OVER steps - time_ns, 0) AS value
            )
        FROM valued
        WHERE counter_id IN (FROM accumulated)
        WINDOW
            steps AS (
                PARTITION BY location_id, counter_id, counter_instance_id ORDER BY sequence
            )
    ),

    shown AS (
        FROM rated
        UNION ALL
        FROM valued
        WHERE counter_id NOT IN (FROM accumulated)
    )

SELECT
    to_json({
        'ph': 'C',
        'name': series.name,
        'pid': series.rank,
        'ts': shown.time_ns / 1000,
        'args': {'value': shown.value * series.factor}
    })::VARCHAR AS event
FROM shown
INNER JOIN series
    ON
        shown.location_id = series.location_id
        AND shown.counter_id = series.counter_id
WHERE isfinite(shown.value)
ORDER BY
    shown.location_id, shown.sequence, shown.counter_id, shown.counter_instance_id NULLS FIRST
