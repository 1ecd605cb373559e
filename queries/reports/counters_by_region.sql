-- Counters and derived counters per region, over all locations.
--
-- With callees, a region has all call paths at or below one of its call paths, each once: also
-- forked work.
--
-- Grain:      one row per counter and region with known values
-- Inputs:     counter_figures, call_paths, regions
-- Output:     command counters
-- Parameters: none
-- Assumes:    nothing
WITH
    by_call_path AS (
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

    own AS (
        SELECT
            found.name,
            found.unit,
            found.is_derived,
            call_paths.region_id,
            sum(found.numerator) AS numerator,
            sum(found.denominator) AS denominator,
            sum(found.covered_ns)::BIGINT AS covered_ns,
            sum(found.negative_steps)::BIGINT AS negative_steps
        FROM by_call_path AS found
        INNER JOIN call_paths ON found.call_path_id = call_paths.call_path_id
        GROUP BY ALL
    ),

    -- Every call path below a region, once.
    inside AS (
        SELECT DISTINCT
            above.region_id,
            found.call_path_id
        FROM (SELECT DISTINCT call_path_id FROM by_call_path) AS found
        INNER JOIN call_paths AS above
            ON found.call_path_id BETWEEN above.call_path_id AND above.last_call_path_id
    ),

    below AS (
        SELECT
            found.name,
            found.is_derived,
            inside.region_id,
            sum(found.numerator) AS numerator,
            sum(found.denominator) AS denominator
        FROM by_call_path AS found
        INNER JOIN inside ON found.call_path_id = inside.call_path_id
        GROUP BY ALL
    )

SELECT
    own.name AS counter,
    regions.name AS region,
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
        AND own.region_id = below.region_id
INNER JOIN regions ON own.region_id = regions.region_id
ORDER BY own.is_derived, own.name, regions.name, own.region_id
