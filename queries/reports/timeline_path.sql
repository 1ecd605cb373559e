-- The critical path over the timeline: which location decided when, the longest segments.
--
-- Grain:      one row per segment of the critical path
-- Inputs:     critical_path_segments
-- Output:     report section timeline
-- Parameters: $row_limit  segments, the longest ones (BIGINT, default 20000)
WITH
    longest AS (
        SELECT ordinal, location_id, begin_ns, end_ns
        FROM critical_path_segments
        ORDER BY end_ns - begin_ns DESC, ordinal
        LIMIT $row_limit::BIGINT
    )

SELECT
    ordinal,
    location_id,
    begin_ns,
    end_ns
FROM longest
ORDER BY ordinal
