-- The kinds of waiting that cost most, and the call paths, locations and causes that cost most
-- in each.
--
-- A kind includes the wait states that are part of it: Late Sender includes wrong orders. Times are
-- those of the main part, as are the shares.
--
-- Grain:      one row per kind, extended ones separate, and call path; at most three per kind
-- Inputs:     main_waits, metrics, call_paths, locations, visits, main_times
-- Output:     report section summary
-- Parameters: $row_limit  maximum number of kinds, longest waits first (BIGINT)
-- Assumes:    of equals, the call path, the location and the cause with the smallest number count
WITH
    -- One row per kind, call path and location.
    victims AS (
        SELECT
            kind,
            is_extended,
            call_path_id,
            location_id,
            sum(main_ns) AS wait_ns,
            count(*) AS wait_count,
            count(*) FILTER (WHERE confidence < 100) AS uncertain_count
        FROM main_waits
        WHERE main_ns > 0
        GROUP BY kind, is_extended, call_path_id, location_id
    ),

    kinds AS (
        SELECT
            kind,
            is_extended,
            sum(wait_ns) AS kind_ns,
            sum(wait_count) AS wait_count,
            sum(uncertain_count) AS uncertain_count
        FROM victims
        GROUP BY kind, is_extended
        ORDER BY kind_ns DESC, kind, is_extended
        LIMIT $row_limit::BIGINT
    ),

    -- One row per kind and call path, with its worst location.
    places AS (
        SELECT
            kind,
            is_extended,
            call_path_id,
            sum(wait_ns) AS wait_ns,
            count(*) AS location_count,
            arg_max(location_id, (wait_ns, -location_id)) AS location_id,
            max(wait_ns) AS worst_ns,
            row_number() OVER (
                PARTITION BY kind, is_extended ORDER BY sum(wait_ns) DESC, call_path_id
            ) AS place,
            count(*) OVER (PARTITION BY kind, is_extended) AS call_path_count
        FROM victims
        SEMI JOIN kinds USING (kind, is_extended)
        GROUP BY kind, is_extended, call_path_id
        QUALIFY place <= 3
    ),

    -- One row per call that these locations waited for; cause_place 1 cost most.
    causes AS (
        SELECT
            waits.kind,
            waits.is_extended,
            waits.call_path_id,
            waits.cause_location_id,
            visits.call_path_id AS cause_call_path_id,
            sum(waits.main_ns) AS cause_ns,
            row_number() OVER (
                PARTITION BY waits.kind, waits.is_extended, waits.call_path_id
                ORDER BY sum(waits.main_ns) DESC, waits.cause_location_id, visits.call_path_id
            ) AS cause_place
        FROM main_waits AS waits
        SEMI JOIN places USING (kind, is_extended, call_path_id, location_id)
        LEFT JOIN visits ON waits.cause_visit_id = visits.visit_id
        WHERE waits.main_ns > 0
        GROUP BY
            waits.kind,
            waits.is_extended,
            waits.call_path_id,
            waits.cause_location_id,
            visits.call_path_id
    ),

    profiled AS (SELECT sum(time_ns) AS total_ns FROM main_times)

SELECT
    kinds.kind AS metric,
    coalesce(metrics.title, kinds.kind) AS finding,
    kinds.is_extended,
    kinds.kind_ns::BIGINT AS kind_ns,
    kinds.kind_ns / nullif(profiled.total_ns, 0) AS kind_ratio,
    kinds.wait_count::BIGINT AS wait_count,
    kinds.uncertain_count::BIGINT AS uncertain_count,
    places.call_path_count,
    call_paths.path AS call_path,
    places.wait_ns::BIGINT AS wait_ns,
    places.location_count,
    victims.rank AS rank,
    victims.thread AS thread,
    places.worst_ns::BIGINT AS worst_ns,
    culprits.rank AS cause_rank,
    culprits.thread AS cause_thread,
    causes.cause_ns::BIGINT AS cause_ns,
    cause_paths.path AS cause_call_path
FROM kinds
CROSS JOIN profiled
INNER JOIN places USING (kind, is_extended)
INNER JOIN causes
    ON
        places.kind = causes.kind
        AND places.is_extended = causes.is_extended
        AND places.call_path_id = causes.call_path_id
        AND causes.cause_place = 1
LEFT JOIN metrics ON kinds.kind = metrics.metric
INNER JOIN call_paths ON places.call_path_id = call_paths.call_path_id
INNER JOIN locations AS victims ON places.location_id = victims.location_id
INNER JOIN locations AS culprits ON causes.cause_location_id = culprits.location_id
LEFT JOIN call_paths AS cause_paths ON causes.cause_call_path_id = cause_paths.call_path_id
ORDER BY kinds.kind_ns DESC, kinds.kind, kinds.is_extended, places.place
