-- Threads that waited for kernels and copies on streams of an accelerator.
--
--     thread    [launch][synchronize .......|....]      waits from the call's begin to the end of
--     stream        [kernel ................]           the last kernel that ends inside the call
--
-- The trace does not show which streams a call waits for. These are all streams of its process; a
-- call for one stream or event is less certain if kernels of several streams end inside it. A call
-- that makes another such call waits in that one.
--
-- Grain:      one row per visit that waited for a kernel
-- Inputs:     device_calls, visits, locations
-- Needs rows: device_calls
-- Output:     device_waits
-- Parameters: none
-- Pattern:    wait state
-- Metrics:    device_wait
-- Source:     CUDA and HIP programming guides: explicit synchronization; not in Scalasca
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
        WHERE locations.kind <> 'gpu' AND NOT device_calls.is_launch
    ),

    calls AS (
        FROM callers
        ANTI JOIN (FROM callers) AS inside ON callers.visit_id = inside.parent_visit_id
    ),

    -- Of kernels that end at the same time, one is enough.
    kernels AS (
        SELECT
            visits.location_id,
            visits.leave_ns,
            max(visits.visit_id) AS visit_id
        FROM visits
        INNER JOIN locations ON visits.location_id = locations.location_id
        WHERE locations.kind = 'gpu' AND visits.parent_visit_id IS NULL
        GROUP BY visits.location_id, visits.leave_ns
    ),

    -- A call with a stream of its process.
    candidates AS (
        SELECT
            calls.*,
            streams.location_id AS stream_id
        FROM calls
        INNER JOIN locations AS streams ON calls.rank = streams.rank
        WHERE streams.kind = 'gpu'
    ),

    -- The last kernel of each stream that ended inside.
    awaited AS (
        SELECT
            candidates.*,
            count(*) OVER (PARTITION BY candidates.visit_id) AS stream_count,
            kernels.leave_ns AS end_ns,
            kernels.visit_id AS kernel_id
        FROM candidates
        ASOF INNER JOIN kernels
            ON
                candidates.stream_id = kernels.location_id
                AND candidates.leave_ns >= kernels.leave_ns
        WHERE kernels.leave_ns > candidates.enter_ns
        QUALIFY
            row_number() OVER (
                PARTITION BY candidates.visit_id ORDER BY kernels.leave_ns DESC, kernels.visit_id
            ) = 1
    )

SELECT
    location_id,
    visit_id,
    call_path_id,
    enter_ns AS start_ns,
    end_ns - enter_ns AS wait_ns,
    stream_id AS cause_location_id,
    kernel_id AS cause_visit_id,
    TRUE AS is_synchronization,
    TRUE AS is_extended,
    if(is_whole_device OR stream_count = 1, 100, 50) AS confidence
FROM awaited
