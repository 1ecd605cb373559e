-- Counters and derived counters per call path, over all locations.
--
-- With callees, a call path has all that is below it, on any location: also forked work.
--
-- Grain:      one row per counter and call path with known values
-- Inputs:     counter_figures, call_paths
-- Output:     command counters
-- Parameters: none
-- Assumes:    nothing
WITH
    own AS (
        SELECT
            name,
            unit,
            is_derived,
            call_path_id,
            sum(numerator) AS numerator,
            sum(denominator) AS denominator,
            sum(covered_ns)::BIGINT AS covered_ns,
            sum(negative_steps)::BIGINT AS negative_steps
        FROM counter_figures
        GROUP BY ALL
    ),

    below AS (
        SELECT
            own.name,
            own.is_derived,
            above.call_path_id,
            sum(own.numerator) AS numerator,
            sum(own.denominator) AS denominator
        FROM own
        INNER JOIN call_paths AS above
            ON own.call_path_id BETWEEN above.call_path_id AND above.last_call_path_id
        GROUP BY ALL
    )

SELECT
    own.name AS counter,
    call_paths.path AS call_path,
    if(own.denominator IS NULL, own.numerator, own.numerator / nullif(own.denominator, 0)) AS value,
    if(
        below.denominator IS NULL, below.numerator, below.numerator / nullif(below.denominator, 0)
    ) AS value_with_callees,
    own.unit,
    own.covered_ns,
    own.negative_steps
FROM own
INNER JOIN below
    ON
        own.name = below.name
        AND own.is_derived = below.is_derived
        AND own.call_path_id = below.call_path_id
INNER JOIN call_paths ON own.call_path_id = call_paths.call_path_id
ORDER BY own.is_derived, own.name, own.call_path_id
