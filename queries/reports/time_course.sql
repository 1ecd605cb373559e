-- Time of all locations together over the run, in equal intervals.
--
-- Parts with less than one percent of the time are combined and come last. Ratios are those of the
-- locations with code: metric locations without visits have no time.
--
-- Grain:      one row per part of the time and interval
-- Inputs:     time_profile, overhead_classes, locations
-- Output:     report section time course
-- Parameters: none
WITH
    totals AS (
        SELECT
            overhead_id,
            sum(time_ns) AS time_ns,
            sum(time_ns) / nullif(sum(sum(time_ns)) OVER (), 0) AS time_ratio
        FROM time_profile
        GROUP BY overhead_id
    ),

    parts AS (
        SELECT
            totals.overhead_id,
            -- Combined parts have no place of their own.
            if(totals.time_ratio < 0.01, NULL, totals.overhead_id) AS place,
            CASE
                WHEN place IS NULL THEN 'other'
                WHEN classes.overhead_class = 'computation' THEN 'computation'
                ELSE classes.overhead_subclass::VARCHAR
            END AS part
        FROM totals
        INNER JOIN overhead_classes AS classes ON totals.overhead_id = classes.overhead_id
    ),

    counted AS (
        SELECT count(*) AS location_count
        FROM locations
        WHERE kind <> 'metric' OR visit_count > 0
    ),

    bins AS (
        SELECT DISTINCT bin, begin_ns, end_ns
        FROM time_profile
    ),

    spent AS (
        SELECT
            parts.place,
            parts.part,
            time_profile.bin,
            sum(time_profile.time_ns) AS time_ns
        FROM time_profile
        INNER JOIN parts ON time_profile.overhead_id = parts.overhead_id
        GROUP BY parts.place, parts.part, time_profile.bin
    )

SELECT
    named.part,
    bins.begin_ns,
    bins.end_ns,
    coalesce(spent.time_ns, 0)::BIGINT AS time_ns,
    coalesce(spent.time_ns, 0)
    / ((bins.end_ns - bins.begin_ns) * counted.location_count) AS time_ratio
FROM bins
CROSS JOIN (SELECT DISTINCT place, part FROM parts) AS named
CROSS JOIN counted
LEFT JOIN spent ON bins.bin = spent.bin AND named.part = spent.part
WHERE bins.end_ns > bins.begin_ns
ORDER BY named.place NULLS LAST, bins.bin
