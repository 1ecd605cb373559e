-- Numerators and denominators of counters and derived counters, to be summed before dividing.
--
-- Counters of method mean are weighted with the time for which they are known. A derived counter
-- needs all its counters at a call path and location; time is that for which they are known (s).
--
-- Grain:      one row per counter or derived counter, call path and location
-- Inputs:     call_path_counters, counters, derived_counters
-- Needs rows: call_path_counters
-- Output:     counter_figures
-- Parameters: none
-- Source:     Moore et al. 2002 (PAPI): ratios of events are ratios of their sums
-- Assumes:    names of counters have no plus sign
WITH
    -- Numbers instead of names, which take long to group by.
    figures AS (
        SELECT
            *,
            row_number() OVER (ORDER BY is_derived, name, counter_id) AS figure
        FROM (
            SELECT
                counter_id,
                name,
                unit,
                FALSE AS is_derived,
                NULL::BOOLEAN AS is_more_better,
                1.0 AS factor
            FROM counters
            UNION ALL
            SELECT
                NULL AS counter_id,
                name,
                unit,
                TRUE AS is_derived,
                is_more_better,
                factor
            FROM derived_counters
        )
    ),

    recorded AS (
        SELECT
            figures.figure,
            found.call_path_id,
            found.location_id,
            CASE
                WHEN found.method <> 'mean' THEN found.exclusive_value
                WHEN found.covered_ns > 0 THEN found.exclusive_value * found.covered_ns
                ELSE 0
            END AS numerator,
            if(found.method = 'mean', found.covered_ns::DOUBLE, NULL) AS denominator,
            found.covered_ns,
            found.negative_steps
        FROM call_path_counters AS found
        INNER JOIN figures ON found.counter_id = figures.counter_id
    ),

    -- One row per counter of a derived counter; time has no counter.
    parts AS (
        SELECT
            name,
            TRUE AS is_numerator,
            trim(unnest(string_split(numerator, '+'))) AS part
        FROM derived_counters
        UNION ALL
        SELECT
            name,
            FALSE AS is_numerator,
            trim(unnest(string_split(denominator, '+'))) AS part
        FROM derived_counters
    ),

    -- Several counters may have one name; a location records one of them.
    numbered AS (
        SELECT
            figures.figure,
            figures.factor,
            counted.is_numerator,
            counted.needed_count,
            counters.counter_id
        FROM (
            SELECT
                *,
                count(*) FILTER (WHERE part <> 'time') OVER (PARTITION BY name) AS needed_count
            FROM parts
        ) AS counted
        INNER JOIN figures ON counted.name = figures.name AND figures.is_derived
        INNER JOIN counters ON counted.part = counters.name
    ),

    derived AS (
        SELECT
            parts.figure,
            found.call_path_id,
            found.location_id,
            sum(found.exclusive_value) FILTER (WHERE parts.is_numerator) AS numerator,
            sum(found.exclusive_value) FILTER (WHERE NOT parts.is_numerator) AS denominator,
            max(found.covered_ns) AS covered_ns,
            sum(found.negative_steps)::BIGINT AS negative_steps,
            any_value(parts.factor) AS factor
        FROM numbered AS parts
        INNER JOIN call_path_counters AS found ON parts.counter_id = found.counter_id
        GROUP BY parts.figure, found.call_path_id, found.location_id
        HAVING count(*) >= any_value(parts.needed_count)
    ),

    valued AS (
        FROM recorded
        UNION ALL
        SELECT
            figure,
            call_path_id,
            location_id,
            factor * coalesce(numerator, covered_ns / 1e9) AS numerator,
            coalesce(denominator, covered_ns / 1e9) AS denominator,
            covered_ns,
            negative_steps
        FROM derived
    )

SELECT
    figures.name,
    figures.unit,
    figures.is_derived,
    figures.is_more_better,
    valued.* EXCLUDE (figure)
FROM valued
INNER JOIN figures ON valued.figure = figures.figure
ORDER BY figures.is_derived, figures.name, valued.call_path_id, valued.location_id
