-- The longest segments of the critical path, for the timeline.
--
-- A segment begins where the wait at its start ends: the waiting is not on the path.
--
-- Grain:      one row per segment of the critical path
-- Inputs:     critical_path_segments
-- Output:     report section timeline
-- Parameters: $row_limit  maximum number of segments, longest first (BIGINT, default 20000)
WITH
    longest AS (
        SELECT
            ordinal,
            location_id,
            begin_ns + wait_ns AS begin_ns,
            greatest(end_ns, begin_ns + wait_ns) AS end_ns
        FROM critical_path_segments
        ORDER BY end_ns - begin_ns - wait_ns DESC, ordinal
        LIMIT $row_limit::BIGINT
    )

SELECT
    ordinal,
    location_id,
    begin_ns,
    end_ns
FROM longest
ORDER BY ordinal
