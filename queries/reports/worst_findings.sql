-- The most expensive wait states, with call path, worst location, and cause.
--
-- Grain:      one row per property, call path and whether it is extended, with the worst location
--             and its cause
-- Inputs:     wait_states, metrics, call_paths, locations, visits, flat_profile
-- Output:     report section summary
-- Parameters: $row_limit  maximum number of findings, longest waits first (BIGINT)
-- Assumes:    of equals, the location and the cause with the smallest number count
WITH
    findings AS (
        SELECT
            property,
            call_path_id,
            is_extended,
            sum(wait_ns) AS wait_ns,
            count(*) AS wait_count,
            count(DISTINCT location_id) AS location_count,
            count(*) FILTER (WHERE confidence < 100) AS doubtful_count,
            min(confidence) AS confidence
        FROM wait_states
        WHERE NOT is_completion
        GROUP BY property, call_path_id, is_extended
        ORDER BY wait_ns DESC, property, call_path_id, is_extended
        LIMIT $row_limit::BIGINT
    ),

    -- One row per finding and waiting location; place 1 is the worst.
    victims AS (
        SELECT
            waits.property,
            waits.call_path_id,
            waits.is_extended,
            waits.location_id,
            sum(waits.wait_ns) AS wait_ns,
            row_number() OVER (
                PARTITION BY waits.property, waits.call_path_id, waits.is_extended
                ORDER BY sum(waits.wait_ns) DESC, waits.location_id
            ) AS place,
            rank() OVER (
                PARTITION BY waits.property, waits.call_path_id, waits.is_extended
                ORDER BY sum(waits.wait_ns) DESC
            ) AS standing
        FROM wait_states AS waits
        SEMI JOIN findings
            ON
                waits.property = findings.property
                AND waits.call_path_id = findings.call_path_id
                AND waits.is_extended = findings.is_extended
        GROUP BY
            waits.property, waits.call_path_id, waits.is_extended, waits.location_id
    ),

    -- Number of locations with the same loss as the worst one.
    ties AS (
        SELECT
            property,
            call_path_id,
            is_extended,
            count(*) AS tied_count
        FROM victims
        WHERE standing = 1
        GROUP BY property, call_path_id, is_extended
    ),

    -- One row per call that the worst location waited for; place 1 cost it the most.
    causes AS (
        SELECT
            waits.property,
            waits.call_path_id,
            waits.is_extended,
            waits.cause_location_id,
            visits.call_path_id AS cause_call_path_id,
            sum(waits.wait_ns) AS wait_ns,
            row_number() OVER (
                PARTITION BY waits.property, waits.call_path_id, waits.is_extended
                ORDER BY sum(waits.wait_ns) DESC, waits.cause_location_id, visits.call_path_id
            ) AS place
        FROM wait_states AS waits
        INNER JOIN victims
            ON
                waits.property = victims.property
                AND waits.call_path_id = victims.call_path_id
                AND waits.is_extended = victims.is_extended
                AND waits.location_id = victims.location_id
                AND victims.place = 1
        LEFT JOIN visits ON waits.cause_visit_id = visits.visit_id
        GROUP BY
            waits.property,
            waits.call_path_id,
            waits.is_extended,
            waits.cause_location_id,
            visits.call_path_id
    ),

    profiled AS (SELECT sum(exclusive_ns) AS total_ns FROM flat_profile)

SELECT
    findings.property AS metric,
    coalesce(metrics.title, findings.property) AS finding,
    findings.is_extended,
    victim_paths.path AS call_path,
    findings.wait_ns::BIGINT AS wait_ns,
    findings.wait_ns / nullif(profiled.total_ns, 0) AS wait_ratio,
    findings.wait_count,
    findings.location_count,
    findings.doubtful_count,
    findings.confidence,
    victim_locations.rank AS rank,
    victim_locations.thread AS thread,
    victims.wait_ns::BIGINT AS worst_ns,
    ties.tied_count,
    cause_locations.rank AS cause_rank,
    cause_locations.thread AS cause_thread,
    causes.wait_ns::BIGINT AS cause_ns,
    cause_paths.path AS cause_call_path
FROM findings
CROSS JOIN profiled
INNER JOIN victims
    ON
        findings.property = victims.property
        AND findings.call_path_id = victims.call_path_id
        AND findings.is_extended = victims.is_extended
        AND victims.place = 1
INNER JOIN ties
    ON
        findings.property = ties.property
        AND findings.call_path_id = ties.call_path_id
        AND findings.is_extended = ties.is_extended
INNER JOIN causes
    ON
        findings.property = causes.property
        AND findings.call_path_id = causes.call_path_id
        AND findings.is_extended = causes.is_extended
        AND causes.place = 1
LEFT JOIN metrics ON findings.property = metrics.metric
INNER JOIN call_paths AS victim_paths ON findings.call_path_id = victim_paths.call_path_id
INNER JOIN locations AS victim_locations ON victims.location_id = victim_locations.location_id
INNER JOIN locations AS cause_locations
    ON causes.cause_location_id = cause_locations.location_id
LEFT JOIN call_paths AS cause_paths ON causes.cause_call_path_id = cause_paths.call_path_id
ORDER BY
    findings.wait_ns DESC,
    findings.property,
    findings.call_path_id,
    findings.is_extended
