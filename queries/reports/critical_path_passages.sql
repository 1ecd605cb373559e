-- Pairs of locations between which the critical path passes, with the kind of synchronization.
--
-- Grain:      one row per pair of locations and kind of synchronization
-- Inputs:     critical_path_partners, critical_path_summary, locations
-- Output:     report section critical path
-- Parameters: $row_limit  maximum number of pairs, most waiting first (BIGINT)
SELECT
    causes.rank AS from_rank,
    causes.thread AS from_thread,
    waiting.rank AS to_rank,
    waiting.thread AS to_thread,
    CASE partners.kind
        WHEN 'n_to_n' THEN 'N × N'
        WHEN 'one_to_n' THEN 'one to N'
        WHEN 'n_to_one' THEN 'N to one'
        ELSE replace(partners.kind::VARCHAR, '_', ' ')
    END AS kind,
    partners.jump_count,
    partners.wait_ns,
    partners.completion_ns,
    partners.completion_ns / nullif(whole.computation_ns + whole.communication_ns, 0) AS path_ratio
FROM critical_path_partners AS partners
CROSS JOIN critical_path_summary AS whole
INNER JOIN locations AS causes ON partners.from_location_id = causes.location_id
INNER JOIN locations AS waiting ON partners.to_location_id = waiting.location_id
ORDER BY
    partners.wait_ns DESC,
    partners.from_location_id,
    partners.to_location_id,
    partners.kind
LIMIT $row_limit::BIGINT
