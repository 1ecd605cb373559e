-- Between which processes the critical path passes on, and why.
--
-- Grain:      one row per pair of locations and kind of waiting at which the path passes on
-- Inputs:     critical_path_partners, locations
-- Output:     report section critical path
-- Parameters: $row_limit  only the pairs with most waiting (BIGINT)
SELECT
    causes.rank AS from_rank,
    causes.thread AS from_thread,
    waiting.rank AS to_rank,
    waiting.thread AS to_thread,
    replace(partners.kind::VARCHAR, '_', ' ') AS kind,
    partners.jump_count,
    partners.wait_ns,
    partners.completion_ns
FROM critical_path_partners AS partners
INNER JOIN locations AS causes ON partners.from_location_id = causes.location_id
INNER JOIN locations AS waiting ON partners.to_location_id = waiting.location_id
ORDER BY
    partners.wait_ns DESC,
    partners.from_location_id,
    partners.to_location_id,
    partners.kind
LIMIT $row_limit::BIGINT
