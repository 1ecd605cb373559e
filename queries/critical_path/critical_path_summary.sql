-- Length and composition of the critical path.
--
-- Grain:      one row if the trace has a critical path
-- Inputs:     critical_path_segments, critical_path_locations, runs
-- Needs rows: critical_path_segments
-- Output:     critical_path_summary
-- Parameters: none
-- Source:     Miller et al. 1990 (IPS-2): share of the path in computation and in communication
-- Assumes:    nothing
WITH
    wholes AS (
        SELECT
            arg_min(begin_ns, ordinal) AS begin_ns,
            arg_max(end_ns, ordinal) AS end_ns,
            arg_min(cause_location_id IS NULL, ordinal) AS is_whole,
            count(*) AS segment_count
        FROM critical_path_segments
        HAVING segment_count > 0
    ),

    shares AS (
        SELECT
            sum(computation_ns)::BIGINT AS computation_ns,
            sum(communication_ns)::BIGINT AS communication_ns,
            count(*)::INTEGER AS location_count
        FROM critical_path_locations
    )

SELECT
    wholes.begin_ns,
    wholes.end_ns,
    runs.end_ns - runs.begin_ns AS wall_ns,
    shares.computation_ns,
    shares.communication_ns,
    wholes.segment_count,
    shares.location_count,
    wholes.is_whole
FROM wholes
CROSS JOIN shares
CROSS JOIN runs
ORDER BY wholes.begin_ns
