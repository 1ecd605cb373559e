-- Call paths that compute while other threads lose time.
--
-- Grain:      one row per computing call path, and class that the loss counts for
-- Inputs:     parallelism_losses, overhead_classes, call_paths, call_tree, locations
-- Output:     report section overheads
-- Parameters: $row_limit  maximum number of rows, largest loss first (BIGINT)
WITH
    charged AS (
        SELECT
            call_path_id,
            participant_count,
            moved_to_overhead_id IS NOT NULL AS is_moved,
            coalesce(moved_to_overhead_id, overhead_id) AS overhead_id,
            sum(alone_ns)::BIGINT AS alone_ns,
            sum(with_others_ns)::BIGINT AS with_others_ns
        FROM parallelism_losses
        GROUP BY ALL
    ),

    -- Paths are long texts, so they are joined only to these few rows.
    largest AS (
        SELECT *, alone_ns + with_others_ns AS lost_ns
        FROM charged
        ORDER BY is_moved DESC, lost_ns DESC, call_path_id, overhead_id
        LIMIT $row_limit::BIGINT
    ),

    -- The only thread of a call path, if there is just one.
    single_visitors AS (
        SELECT
            largest.call_path_id,
            min(locations.rank) AS rank,
            min(locations.thread) AS thread
        FROM (SELECT DISTINCT call_path_id FROM largest WHERE participant_count = 1) AS largest
        INNER JOIN call_tree
            ON largest.call_path_id = call_tree.call_path_id AND call_tree.visit_count > 0
        INNER JOIN locations ON call_tree.location_id = locations.location_id
        GROUP BY largest.call_path_id
    )

SELECT
    call_paths.path AS call_path,
    classes.overhead_class::VARCHAR AS overhead_class,
    classes.overhead_subclass::VARCHAR AS overhead_subclass,
    largest.is_moved,
    largest.participant_count,
    single_visitors.rank,
    single_visitors.thread,
    largest.alone_ns,
    largest.with_others_ns,
    largest.lost_ns
FROM largest
INNER JOIN call_paths ON largest.call_path_id = call_paths.call_path_id
INNER JOIN overhead_classes AS classes ON largest.overhead_id = classes.overhead_id
LEFT JOIN single_visitors ON largest.call_path_id = single_visitors.call_path_id
ORDER BY largest.is_moved DESC, largest.lost_ns DESC, largest.call_path_id, largest.overhead_id
