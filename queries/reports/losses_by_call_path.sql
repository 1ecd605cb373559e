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

    -- The only thread of a call path, if there is just one.
    single_visitors AS (
        SELECT
            charged.call_path_id,
            min(locations.rank) AS rank,
            min(locations.thread) AS thread
        FROM (SELECT DISTINCT call_path_id FROM charged WHERE participant_count = 1) AS charged
        INNER JOIN call_tree
            ON charged.call_path_id = call_tree.call_path_id AND call_tree.visit_count > 0
        INNER JOIN locations ON call_tree.location_id = locations.location_id
        GROUP BY charged.call_path_id
    )

SELECT
    call_paths.path AS call_path,
    classes.overhead_class::VARCHAR AS overhead_class,
    classes.overhead_subclass::VARCHAR AS overhead_subclass,
    charged.is_moved,
    charged.participant_count,
    single_visitors.rank,
    single_visitors.thread,
    charged.alone_ns,
    charged.with_others_ns,
    charged.alone_ns + charged.with_others_ns AS lost_ns
FROM charged
INNER JOIN call_paths ON charged.call_path_id = call_paths.call_path_id
INNER JOIN overhead_classes AS classes ON charged.overhead_id = classes.overhead_id
LEFT JOIN single_visitors ON charged.call_path_id = single_visitors.call_path_id
ORDER BY charged.is_moved DESC, lost_ns DESC, charged.call_path_id, charged.overhead_id
LIMIT $row_limit::BIGINT
