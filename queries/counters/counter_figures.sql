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
    named AS (
        SELECT
            found.*,
            counters.name AS counter_name,
            counters.unit AS counter_unit
        FROM call_path_counters AS found
        INNER JOIN counters ON found.counter_id = counters.counter_id
    ),

    recorded AS (
        SELECT
            counter_name AS name,
            counter_unit AS unit,
            FALSE AS is_derived,
            NULL::BOOLEAN AS is_more_better,
            call_path_id,
            location_id,
            CASE
                WHEN method <> 'mean' THEN exclusive_value
                WHEN covered_ns > 0 THEN exclusive_value * covered_ns
                ELSE 0
            END AS numerator,
            if(method = 'mean', covered_ns::DOUBLE, NULL) AS denominator,
            covered_ns,
            negative_steps
        FROM named
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

    needed AS (
        SELECT
            name,
            count(*) AS part_count
        FROM parts
        WHERE part <> 'time'
        GROUP BY name
    ),

    summed AS (
        SELECT
            parts.name,
            named.call_path_id,
            named.location_id,
            sum(named.exclusive_value) FILTER (WHERE parts.is_numerator) AS numerator,
            sum(named.exclusive_value) FILTER (WHERE NOT parts.is_numerator) AS denominator,
            max(named.covered_ns) AS covered_ns,
            sum(named.negative_steps)::BIGINT AS negative_steps,
            count(*) AS part_count
        FROM parts
        INNER JOIN named ON parts.part = named.counter_name
        GROUP BY ALL
    ),

    derived AS (
        SELECT
            derived_counters.name,
            derived_counters.unit,
            TRUE AS is_derived,
            derived_counters.is_more_better,
            summed.call_path_id,
            summed.location_id,
            derived_counters.factor
            * coalesce(summed.numerator, summed.covered_ns / 1e9) AS numerator,
            coalesce(summed.denominator, summed.covered_ns / 1e9) AS denominator,
            summed.covered_ns,
            summed.negative_steps
        FROM summed
        INNER JOIN derived_counters ON summed.name = derived_counters.name
        INNER JOIN needed
            ON summed.name = needed.name AND summed.part_count >= needed.part_count
    )

FROM recorded
UNION ALL
FROM derived
ORDER BY is_derived, name, call_path_id, location_id
