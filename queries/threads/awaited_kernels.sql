-- Kernels that calls wait for: of each stream the last one that ends before the call does.
--
--     thread      [launch][launch]..[synchronize ......]     waits for both kernels
--     stream 1        [kernel]
--     stream 2                  [kernel ............]
--
-- Few traces show which stream or event a call waits for: Score-P can record the stream. Otherwise
-- the call is taken to wait for all streams of its process. A call that makes another such call
-- waits in that one.
--
-- Grain:      one row per call that waits for a device, event or stream, and stream
-- Inputs:     device_calls, visits, locations, kernels, stream_references
-- Needs rows: kernels
-- Output:     awaited_kernels
-- Parameters: none
-- Source:     CUDA and HIP programming guides: explicit and implicit synchronization
-- Assumes:    clocks of the process and its accelerators agree
WITH
    callers AS (
        SELECT
            visits.*,
            device_calls.is_whole_device,
            locations.rank
        FROM visits
        INNER JOIN device_calls ON visits.call_path_id = device_calls.call_path_id
        INNER JOIN locations ON visits.location_id = locations.location_id
        WHERE locations.kind <> 'gpu' AND device_calls.is_wait
    ),

    calls AS (
        FROM callers
        ANTI JOIN (FROM callers) AS inside ON callers.visit_id = inside.parent_visit_id
    ),

    -- Of kernels that end at the same time, one is enough.
    last_kernels AS (
        SELECT
            location_id,
            leave_ns,
            max(visit_id) AS visit_id
        FROM kernels
        GROUP BY location_id, leave_ns
    ),

    -- A call with a stream that it waits for.
    candidates AS (
        SELECT
            calls.*,
            streams.location_id AS stream_id,
            calls.is_whole_device OR named.location_id IS NOT NULL AS is_known
        FROM calls
        INNER JOIN locations AS streams ON calls.rank = streams.rank
        LEFT JOIN stream_references AS named ON calls.visit_id = named.visit_id
        WHERE
            streams.kind = 'gpu'
            AND streams.location_id = coalesce(named.location_id, streams.location_id)
    )

SELECT
    candidates.location_id,
    candidates.visit_id,
    candidates.call_path_id,
    candidates.enter_ns,
    candidates.stream_id AS cause_location_id,
    last_kernels.visit_id AS cause_visit_id,
    last_kernels.leave_ns AS end_ns,
    candidates.is_known
FROM candidates
ASOF INNER JOIN last_kernels
    ON
        candidates.stream_id = last_kernels.location_id
        AND candidates.leave_ns >= last_kernels.leave_ns
