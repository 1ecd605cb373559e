-- Numerators and denominators of derived counters in equal bins of the run, to be summed before
-- dividing.
--
-- A derived counter needs all its counters in a bin and part of the system; time is that for which
-- they are known (s). Natural joins and patterns of columns let the same text read one run, or
-- several with run_id.
--
-- Grain:      one row per derived counter, part of the system and bin with known values
-- Inputs:     counter_profile, counters, counter_recordings, derived_counters
-- Output:     derived_counter_profile
-- Parameters: none
-- Source:     Moore et al. 2002 (PAPI): ratios of events are ratios of their sums
-- Assumes:    names of counters have no plus sign
WITH
    named AS (
        SELECT
            COLUMNS('^(run_id|counter_id)$'),
            name AS part
        FROM counters
    ),

    steps AS (
        SELECT
            COLUMNS('^(run_id|counter_id)$'),
            sum(negative_steps)::BIGINT AS negative_steps
        FROM counter_recordings
        GROUP BY ALL
    ),

    known AS (
        SELECT *
        FROM counter_profile
        NATURAL INNER JOIN named
        NATURAL INNER JOIN steps
    ),

    -- One row per counter of a derived counter; time has no counter.
    parts AS (
        SELECT
            COLUMNS('^(run_id|name)$'),
            TRUE AS is_above,
            trim(unnest(string_split(numerator, '+'))) AS part
        FROM derived_counters
        UNION ALL
        SELECT
            COLUMNS('^(run_id|name)$'),
            FALSE AS is_above,
            trim(unnest(string_split(denominator, '+'))) AS part
        FROM derived_counters
    ),

    needed AS (
        SELECT
            COLUMNS('^(run_id|name)$'),
            count(*) AS needed_count
        FROM parts
        WHERE part <> 'time'
        GROUP BY ALL
    ),

    summed AS (
        SELECT
            COLUMNS('^(run_id|name|bin|begin_ns|end_ns|scope|scope_id)$'),
            sum(value) FILTER (WHERE is_above) AS above,
            sum(value) FILTER (WHERE NOT is_above) AS below,
            max(covered_ns) AS covered_ns,
            sum(negative_steps)::BIGINT AS negative_steps,
            count(*) AS part_count
        FROM parts
        NATURAL INNER JOIN known
        GROUP BY ALL
    ),

    figures AS (SELECT COLUMNS('^(run_id|name|unit|factor)$') FROM derived_counters)

SELECT
    COLUMNS('^(run_id|name)$'),
    unit,
    bin,
    begin_ns,
    end_ns,
    scope,
    scope_id,
    factor * coalesce(above, covered_ns / 1e9) AS numerator,
    coalesce(below, covered_ns / 1e9) AS denominator,
    covered_ns,
    negative_steps
FROM summed
NATURAL INNER JOIN figures
NATURAL INNER JOIN needed
WHERE part_count >= needed_count
