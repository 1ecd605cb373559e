-- Processes of which records are missing, and from when until when.
--
-- Where a location ends early, only its end is missing; while the measurement is switched off, what
-- lies between. What was left out of the input may have been anywhere.
--
-- Grain:      one row per process and reason
-- Inputs:     trace_quality, locations, measurement_gaps
-- Needs rows: trace_quality
-- Output:     disturbed_processes
-- Parameters: none
-- Source:     the kinds of trace_quality
-- Assumes:    of a location that ends early only the end is missing
WITH
    threads AS (
        SELECT *
        FROM locations
        WHERE kind NOT IN ('gpu', 'metric')
    ),

    sizes AS (
        SELECT location_group_id, count(*) AS thread_count
        FROM threads
        GROUP BY location_group_id
    ),

    pauses AS (
        SELECT location_id, min(begin_ns) AS since_ns, max(end_ns) AS until_ns
        FROM measurement_gaps
        WHERE kind = 'measurement_off'
        GROUP BY location_id
    ),

    damages AS (
        SELECT location_id
        FROM trace_quality
        WHERE
            kind IN (
                'unknown_record', 'impossible_id', 'impossible_time', 'time_reversal',
                'mismatched_leave', 'unreadable_row', 'cut_input'
            )
    ),

    losses AS (
        SELECT
            threads.location_group_id,
            'missing_records' AS reason,
            if(found.kind = 'missing_records', threads.end_ns, NULL) AS since_ns,
            NULL::BIGINT AS until_ns
        FROM trace_quality AS found
        INNER JOIN threads USING (location_id)
        WHERE found.kind IN ('missing_records', 'missing_location')
        UNION ALL
        SELECT
            threads.location_group_id,
            'measurement_off' AS reason,
            pauses.since_ns,
            pauses.until_ns
        FROM pauses
        INNER JOIN threads USING (location_id)
        UNION ALL
        SELECT
            threads.location_group_id,
            'incomplete_records' AS reason,
            NULL AS since_ns,
            NULL AS until_ns
        FROM threads
        WHERE
            location_id IN (SELECT location_id FROM damages)
            OR EXISTS (FROM damages WHERE location_id IS NULL)
    )

SELECT
    losses.location_group_id,
    losses.reason,
    if(bool_or(losses.since_ns IS NULL), NULL, min(losses.since_ns)) AS since_ns,
    if(bool_or(losses.until_ns IS NULL), NULL, max(losses.until_ns)) AS until_ns,
    any_value(sizes.thread_count) AS thread_count,
    -- What several threads of a process did is not in order without one of them.
    losses.reason = 'missing_records' AND bool_and(losses.since_ns IS NOT NULL)
    AND any_value(sizes.thread_count) = 1 AS is_ending
FROM losses
INNER JOIN sizes USING (location_group_id)
-- Where nothing is missing or doubtful in the trace, nothing is here.
WHERE EXISTS (FROM trace_quality)
GROUP BY losses.location_group_id, losses.reason
ORDER BY losses.location_group_id, losses.reason
