-- Messages, waiting and the critical path between pairs of processes.
--
-- Rows with a property have the time that the second process lost in this wait state because of the
-- first one; in collectives, the process that was waited for is the first. Rows without a property
-- have messages and the critical path. Sums over all rows are totals.
--
-- Natural joins and patterns of columns let the same text read one run, or several with run_id.
--
-- Grain:      one row per pair of processes, and wait state or none
-- Inputs:     communication_matrix, wait_states, critical_path_partners, locations, location_groups
-- Output:     process_pairs
-- Parameters: none
-- Source:     Miller et al. 1990 (IPS-2): pairs of processes on the critical path
-- Assumes:    nothing
WITH
    ends AS (
        SELECT
            *,
            location_id AS from_location_id,
            location_id AS to_location_id,
            location_group_id AS from_group_id,
            location_group_id AS to_group_id
        FROM locations
    ),

    ranks AS (
        SELECT
            *,
            location_group_id AS from_group_id,
            location_group_id AS to_group_id,
            rank AS from_rank,
            rank AS to_rank
        FROM location_groups
    ),

    between_locations AS (
        SELECT
            COLUMNS('^(run_id|property)$'),
            cause_location_id AS from_location_id,
            location_id AS to_location_id,
            sum(wait_ns) FILTER (WHERE NOT is_completion) AS wait_ns,
            sum(wait_ns) FILTER (WHERE is_completion) AS completion_ns
        FROM wait_states
        GROUP BY ALL
        UNION ALL BY NAME
        SELECT
            COLUMNS('^(run_id|from_location_id|to_location_id|jump_count)$'),
            wait_ns AS path_wait_ns,
            completion_ns AS path_completion_ns
        FROM critical_path_partners
    ),

    between_groups AS (
        SELECT COLUMNS(* EXCLUDE (from_location_id, to_location_id))
        FROM between_locations
        NATURAL LEFT JOIN (
            SELECT COLUMNS('^(run_id|from_location_id|from_group_id)$') FROM ends
        )
        NATURAL INNER JOIN (SELECT COLUMNS('^(run_id|to_location_id|to_group_id)$') FROM ends)
        UNION ALL BY NAME
        SELECT
            COLUMNS('^(run_id|message_count|bytes)$'),
            sender_group_id AS from_group_id,
            receiver_group_id AS to_group_id
        FROM communication_matrix
    )

SELECT
    COLUMNS('^(run_id|from_group_id|to_group_id)$'),
    COLUMNS('^(from_rank|to_rank)$'),
    property,
    coalesce(sum(message_count), 0)::BIGINT AS message_count,
    coalesce(sum(bytes), 0)::BIGINT AS bytes,
    coalesce(sum(wait_ns), 0)::BIGINT AS wait_ns,
    coalesce(sum(completion_ns), 0)::BIGINT AS completion_ns,
    coalesce(sum(jump_count), 0)::BIGINT AS path_jump_count,
    coalesce(sum(path_wait_ns), 0)::BIGINT AS path_wait_ns,
    coalesce(sum(path_completion_ns), 0)::BIGINT AS path_completion_ns
FROM between_groups
NATURAL LEFT JOIN (SELECT COLUMNS('^(run_id|from_group_id|from_rank)$') FROM ranks)
NATURAL INNER JOIN (SELECT COLUMNS('^(run_id|to_group_id|to_rank)$') FROM ranks)
GROUP BY ALL
