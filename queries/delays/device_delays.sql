-- Waiting of threads for a stream of an accelerator, by the kernels that it ran meanwhile.
--
--     thread    [synchronize ..................]      waits from the call's begin to the last end
--     stream    [kernel a   ]  [kernel b   ]          a and b cause their time within the wait;
--                                                     the gap between them has no cause
--
-- Kernels of a stream run one after the other, so those of a wait follow each other.
--
-- Grain:      one row per call path of kernels, stream and thread that waited for it
-- Inputs:     device_waits, kernels
-- Needs rows: device_waits
-- Output:     device_delays
-- Parameters: none
-- Source:     Böhme et al. 2016, direct costs, with the kernel as the delay; not in Scalasca
-- Assumes:    clocks of the process and its accelerators agree
WITH
    numbered AS (
        SELECT
            *,
            row_number() OVER (PARTITION BY location_id ORDER BY enter_ns, visit_id) AS number
        FROM kernels
    ),

    -- Of kernels that end at the same time, the first one.
    ends AS (
        SELECT
            location_id,
            leave_ns,
            min(number) AS number
        FROM numbered
        GROUP BY location_id, leave_ns
    ),

    -- One row per wait, with its last kernel.
    waits AS (
        SELECT
            device_waits.visit_id,
            device_waits.location_id AS victim_location_id,
            device_waits.cause_location_id AS location_id,
            device_waits.start_ns,
            device_waits.start_ns + device_waits.wait_ns AS end_ns,
            numbered.number AS last_number
        FROM device_waits
        INNER JOIN numbered ON device_waits.cause_visit_id = numbered.visit_id
    ),

    -- And with its first kernel that ends within it.
    spans AS (
        SELECT
            waits.*,
            unnest(range(least(ends.number, waits.last_number), waits.last_number + 1)) AS number
        FROM waits
        ASOF INNER JOIN ends
            ON waits.location_id = ends.location_id AND waits.start_ns < ends.leave_ns
    )

SELECT
    numbered.call_path_id,
    numbered.location_id,
    spans.victim_location_id,
    sum(
        greatest(
            least(numbered.leave_ns, spans.end_ns) - greatest(numbered.enter_ns, spans.start_ns), 0
        )
    )::DOUBLE AS direct_ns
FROM spans
INNER JOIN numbered
    ON spans.location_id = numbered.location_id AND spans.number = numbered.number
GROUP BY numbered.call_path_id, numbered.location_id, spans.victim_location_id
HAVING direct_ns > 0
