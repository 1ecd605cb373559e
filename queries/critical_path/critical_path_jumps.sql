-- Jumps of the critical path, followed backwards: from a call that waited to the call it waited
-- for, and from there back to the previous wait on the same location.
--
--     rank 0        [ work ....... ][ send ]               <- back to the begin: no predecessor
--     rank 1   [ recv: 1st wait ... ][ work ][ send ]      <- back to the 1st wait
--     rank 2        [ recv: 2nd wait ............... ][ Finalize ]
--
--     point            waited for      predecessor
--     1st wait         send of rank 0  none
--     2nd wait         send of rank 1  1st wait
--     program's end    Finalize        2nd wait
--
-- The program ends where the last process enters MPI_Finalize; of several, the one with the lowest
-- rank. In a parallel region, a thread goes back to the fork, and the path continues on the thread
-- that forked. A kernel goes back to its begin, and the path continues on the thread that launched
-- it. Traces with suspended explicit tasks have no critical path yet.
--
-- Grain:      one row per call that waited, and one for the program's end
-- Inputs:     synchronization_points, location_spans, locations, task_fragments, task_calls
-- Output:     critical_path_jumps
-- Parameters: none
-- Source:     Miller et al. 1990 (IPS-2); Scalasca, "critical-path analysis"
-- Assumes:    visits of a location are numbered in the order in which they are entered
WITH
    followed AS (
        SELECT
            (SELECT count(*) FROM task_fragments) = (SELECT count(*) FROM task_calls) AS is_followed
    ),

    waits AS (
        SELECT
            row_number() OVER (ORDER BY visit_id, wait_ns, cause_visit_id) - 1 AS point_id,
            location_id,
            visit_id,
            wait_ns,
            cause_location_id,
            cause_visit_id,
            cause_enter_ns,
            -- The path stays on the kernel, until it was launched.
            cause_visit_id + if(kind = 'device', 1, 0) AS next_visit_id
        FROM synchronization_points
        WHERE
            ((wait_ns > 0 AND kind <> 'finalize') OR kind IN ('fork', 'launch'))
            AND (SELECT is_followed FROM followed)
    ),

    -- If a call has several recorded waits, the longest one counts.
    waiting_calls AS (
        SELECT
            location_id,
            visit_id,
            max(point_id) AS point_id
        FROM waits
        GROUP BY location_id, visit_id
    ),

    ends AS (
        SELECT
            spans.location_id AS cause_location_id,
            spans.end_visit_id AS cause_visit_id,
            spans.end_ns AS cause_enter_ns,
            spans.end_visit_id AS next_visit_id
        FROM location_spans AS spans
        INNER JOIN locations USING (location_id)
        WHERE spans.is_process AND (SELECT is_followed FROM followed)
        ORDER BY spans.end_ns DESC, locations.rank, spans.location_id
        LIMIT 1
    ),

    jumps AS (
        SELECT * EXCLUDE (location_id) FROM waits
        UNION ALL BY NAME
        SELECT
            *,
            (SELECT count(*) FROM waits) AS point_id
        FROM ends
    )

SELECT
    jumps.point_id,
    jumps.visit_id,
    jumps.wait_ns,
    jumps.cause_location_id,
    jumps.cause_visit_id,
    jumps.cause_enter_ns,
    earlier.point_id AS predecessor_id
FROM jumps
ASOF LEFT JOIN waiting_calls AS earlier
    ON
        jumps.cause_location_id = earlier.location_id
        AND coalesce(jumps.next_visit_id, 9223372036854775807) > earlier.visit_id
