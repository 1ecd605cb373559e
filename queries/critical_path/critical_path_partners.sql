-- Pairs of locations between which the critical path passes: from the location that was waited for
-- (or forked) to the one that waited (or was forked).
--
-- Grain:      one row per pair of locations and kind of synchronization
-- Inputs:     critical_path_segments
-- Needs rows: critical_path_segments
-- Output:     critical_path_partners
-- Parameters: none
-- Source:     Miller et al. 1990 (IPS-2): share of the path per pair of processes
-- Assumes:    nothing
SELECT
    cause_location_id AS from_location_id,
    location_id AS to_location_id,
    kind,
    count(*) AS jump_count,
    sum(wait_ns)::BIGINT AS wait_ns,
    sum(completion_ns)::BIGINT AS completion_ns
FROM critical_path_segments
WHERE kind IS NOT NULL
GROUP BY ALL
ORDER BY from_location_id, to_location_id, kind
