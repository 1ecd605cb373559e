-- The time that the measurement took in the whole run.
--
-- Recording an event takes at most the time until the next event. Most gaps also hold work of the
-- program, so that only the shortest ones say something: the first percentile leaves out gaps that
-- are short by chance. Of the locations, the lower median counts. Every record counts, also those
-- before and after the main part, so that the share is rather too large than too small.
--
-- Grain:      one row
-- Inputs:     locations, measurement_gaps, main_part
-- Output:     run_perturbation
-- Parameters: $event_cost_ns  time to record an event (ns); 0: as the gaps between records say
--                             (BIGINT, default 0)
-- Source:     none
-- Assumes:    recording takes the same time in all call paths
WITH
    costs AS (
        SELECT
            if(
                $event_cost_ns::BIGINT > 0,
                $event_cost_ns::BIGINT,
                quantile_disc(short_record_gap_ns, 0.5)
            ) AS event_cost_ns
        FROM locations
        WHERE record_gap_count >= 100 AND kind NOT IN ('gpu', 'metric')
    ),

    recorded AS (
        SELECT
            coalesce(sum(record_count), 0)::BIGINT AS record_count,
            count(*) AS thread_count
        FROM locations
        WHERE kind NOT IN ('gpu', 'metric')
    ),

    flushed AS (
        SELECT coalesce(sum(measurement_gaps.end_ns - measurement_gaps.begin_ns), 0) AS flush_ns
        FROM measurement_gaps
        INNER JOIN locations USING (location_id)
        WHERE measurement_gaps.kind = 'buffer_flush' AND locations.kind NOT IN ('gpu', 'metric')
    )

SELECT
    recorded.record_count,
    costs.event_cost_ns,
    $event_cost_ns::BIGINT > 0 AS is_given,
    recorded.record_count * costs.event_cost_ns AS cost_ns,
    flushed.flush_ns::BIGINT AS flush_ns,
    (recorded.record_count * costs.event_cost_ns + flushed.flush_ns)
    / nullif(recorded.thread_count * (main_part.end_ns - main_part.begin_ns), 0) AS perturbed_ratio
FROM recorded
CROSS JOIN costs
CROSS JOIN flushed
CROSS JOIN main_part
ORDER BY recorded.record_count
