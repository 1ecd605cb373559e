-- Time that threads of several runs lose while code runs that not all of them take part in.
--
-- Grain:      one row per run and call path that computes while others lose time
-- Inputs:     parallelism_losses, call_path_keys, call_tree, locations, location_groups
-- Output:     campaign table run_losses
-- Parameters: none
-- Assumes:    tables hold several runs, distinguished by run_id
WITH
    -- One row per call path. Losses in code that all threads run stay in their class.
    charged AS (
        SELECT
            losses.run_id,
            losses.call_path_id,
            keys.call_path_key,
            any_value(losses.participant_count) AS participant_count,
            sum(losses.alone_ns) AS alone_ns,
            sum(losses.with_others_ns) AS with_others_ns
        FROM parallelism_losses AS losses
        INNER JOIN call_path_keys AS keys USING (run_id, call_path_id)
        WHERE losses.moved_to_overhead_id IS NOT NULL
        GROUP BY ALL
    ),

    visitors AS (
        SELECT
            charged.run_id,
            charged.call_path_key,
            min(location_groups.rank) AS first_rank,
            max(location_groups.rank) AS last_rank
        FROM charged
        INNER JOIN call_tree USING (run_id, call_path_id)
        INNER JOIN locations USING (run_id, location_id)
        INNER JOIN location_groups USING (run_id, location_group_id)
        WHERE call_tree.visit_count > 0
        GROUP BY charged.run_id, charged.call_path_key
    )

SELECT
    charged.run_id,
    charged.call_path_key,
    if(
        any_value(visitors.first_rank) = any_value(visitors.last_rank),
        any_value(visitors.first_rank),
        NULL
    ) AS rank,
    max(charged.participant_count)::INTEGER AS participant_count,
    sum(charged.alone_ns)::BIGINT AS alone_ns,
    sum(charged.with_others_ns)::BIGINT AS with_others_ns
FROM charged
LEFT JOIN visitors USING (run_id, call_path_key)
GROUP BY charged.run_id, charged.call_path_key
ORDER BY charged.run_id, charged.call_path_key
