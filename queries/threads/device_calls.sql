-- Call paths of calls that wait for kernels of an accelerator, if the trace records its streams.
--
-- Grain:      one row per call path that waits for a device, an event or a stream
-- Inputs:     call_paths, regions, locations
-- Output:     device_calls
-- Parameters: none
-- Source:     CUDA and HIP runtime and driver interfaces, OpenCL 3.0 section 5.15
-- Assumes:    regions have the names of the calls
SELECT
    call_paths.call_path_id,
    regexp_matches(regions.name, '^(cuda|hip|cu)(Device|Thread|Ctx)') AS is_whole_device
FROM call_paths
INNER JOIN regions ON call_paths.region_id = regions.region_id
WHERE
    regexp_matches(
        regions.name,
        '^((cuda|hip|cu)(Device|Thread|Ctx|Stream|Event)Synchronize|clFinish|clWaitForEvents)'
        || '([^[:alnum:]]|$)'
    )
    AND EXISTS (FROM locations WHERE kind = 'gpu')
ORDER BY call_paths.call_path_id
