-- Call paths of calls that launch or wait for kernels of an accelerator, if the trace records its
-- streams.
--
-- A copy that returns when it is done launches the copy and waits for it. Freeing memory waits for
-- the device.
--
-- Grain:      one row per call path that launches work, or waits for a device, event or stream
-- Inputs:     call_paths, regions, locations
-- Output:     device_calls
-- Parameters: none
-- Source:     CUDA and HIP runtime and driver interfaces, OpenCL 3.0 section 5.15
-- Assumes:    regions have the names of the calls
WITH
    named AS (
        SELECT
            call_paths.call_path_id,
            regexp_matches(
                regions.name,
                '^((cuda|hip|cu)[A-Za-z]*Launch|clEnqueue(NDRange|Native)?(Kernel|Task))'
            ) AS is_kernel_launch,
            is_kernel_launch
            OR regexp_matches(regions.name, '^((cuda|hip|cu)Mem(cpy|set|Prefetch)|clEnqueue)')
                AS is_launch,
            regexp_matches(regions.name, '^(cuda|hip|cu)(Device|Thread|Ctx|Free|MemFree)')
                AS is_whole_device,
            regexp_matches(
                regions.name,
                '^((cuda|hip|cu)(Device|Thread|Ctx|Stream|Event)Synchronize'
                || '|(cuda|hip)Free|cuMemFree|clFinish|clWaitForEvents)([^[:alnum:]]|$)'
            )
            OR (
                regexp_matches(regions.name, '^(cuda|hip|cu)Memcpy')
                AND NOT contains(regions.name, 'Async')
            ) AS is_wait
        FROM call_paths
        INNER JOIN regions ON call_paths.region_id = regions.region_id
    )

SELECT
    call_path_id,
    is_launch,
    is_kernel_launch,
    is_wait,
    is_whole_device
FROM named
WHERE (is_launch OR is_wait) AND EXISTS (FROM locations WHERE kind = 'gpu')
