-- Streams of accelerators that calls are for, where Score-P recorded them.
--
-- Grain:      one row per call with the reference of a stream
-- Inputs:     device_calls, attributes, record_attributes, locations
-- Needs rows: device_calls
-- Output:     stream_references
-- Parameters: none
-- Source:     Score-P, SCOREP_CUDA_ENABLE with references
-- Assumes:    of several streams of a call, that with the smallest number counts
SELECT
    record_attributes.visit_id,
    min(locations.location_id)::INTEGER AS location_id
FROM record_attributes
INNER JOIN attributes ON record_attributes.attribute_id = attributes.attribute_id
INNER JOIN locations ON record_attributes.value_integer = locations.source_ref
WHERE
    EXISTS (FROM device_calls)
    AND attributes.name = 'CUDA_STREAM_REF'
    AND locations.kind = 'gpu'
    AND record_attributes.visit_id IS NOT NULL
GROUP BY record_attributes.visit_id
