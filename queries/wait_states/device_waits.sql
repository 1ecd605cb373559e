-- Threads that waited for kernels and copies on streams of an accelerator.
--
--     thread    [launch][synchronize .......|....]      waits from the call's begin to the end of
--     stream        [kernel ................]           the last kernel that ends inside the call
--
-- A call for one stream or event is less certain if kernels of several streams end inside it, and
-- the trace does not show which stream it waits for.
--
-- Grain:      one row per visit that waited for a kernel
-- Inputs:     awaited_kernels
-- Needs rows: awaited_kernels
-- Output:     device_waits
-- Parameters: none
-- Pattern:    wait state
-- Metrics:    device_wait
-- Source:     CUDA and HIP programming guides: explicit synchronization; not in Scalasca
-- Assumes:    clocks of the process and its accelerators agree
WITH
    ended_inside AS (
        SELECT
            *,
            count(*) OVER (PARTITION BY visit_id) AS stream_count
        FROM awaited_kernels
        WHERE end_ns > enter_ns
    )

SELECT
    location_id,
    visit_id,
    call_path_id,
    enter_ns AS start_ns,
    end_ns - enter_ns AS wait_ns,
    cause_location_id,
    cause_visit_id,
    TRUE AS is_synchronization,
    TRUE AS is_extended,
    if(is_known OR stream_count = 1, 100, 50) AS confidence
FROM ended_inside
QUALIFY row_number() OVER (PARTITION BY visit_id ORDER BY end_ns DESC, cause_visit_id) = 1
