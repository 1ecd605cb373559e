-- Root causes of waiting with the kinds of waiting and the locations that waited.
--
-- Grain:      one row per call path and location that caused waiting, kind of waiting, and location
--             that waited for it
-- Inputs:     root_causes, metrics, call_paths, locations
-- Needs rows: root_causes
-- Output:     report section root causes
-- Parameters: $row_limit  maximum number of rows, most expensive causes first (BIGINT)
WITH
    -- Paths are long texts, so they are joined only to these few rows.
    costliest AS (
        SELECT *
        FROM root_causes
        ORDER BY
            direct_ns + passed_on_ns DESC,
            call_path_id,
            location_id,
            kind,
            victim_location_id
        LIMIT $row_limit::BIGINT
    )

SELECT
    call_paths.path AS call_path,
    causes.rank AS cause_rank,
    causes.thread AS cause_thread,
    coalesce(metrics.title, root_causes.kind::VARCHAR) AS finding,
    victims.rank,
    victims.thread,
    round(root_causes.direct_ns)::BIGINT AS direct_ns,
    round(root_causes.passed_on_ns)::BIGINT AS passed_on_ns
FROM costliest AS root_causes
INNER JOIN call_paths ON root_causes.call_path_id = call_paths.call_path_id
INNER JOIN locations AS causes ON root_causes.location_id = causes.location_id
INNER JOIN locations AS victims ON root_causes.victim_location_id = victims.location_id
LEFT JOIN metrics ON 'delay_' || root_causes.kind = metrics.metric
ORDER BY
    root_causes.direct_ns + root_causes.passed_on_ns DESC,
    root_causes.call_path_id,
    root_causes.location_id,
    root_causes.kind,
    root_causes.victim_location_id
LIMIT $row_limit::BIGINT
