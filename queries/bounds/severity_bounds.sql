-- How far severities may be off because of what is missing, clipped or disturbed in the trace.
--
-- Each call in doubt has a least and a most that it may have waited; against what was found, the
-- rest is what the value may be smaller or larger by:
--
--     0        least        found           most
--     |──────────|─── less ───|──── more ─────|
--
-- If there are several reasons for a call, the widest limits hold, under the name of the reason
-- that leaves most open. What the measurement took of a wait is taken from what is left.
--
-- Grain:      one row per metric, call path, location and reason with a bound other than zero,
--             beyond the reference apart
-- Inputs:     message_doubts, collective_doubts, message_clock_doubts, collective_clock_doubts,
--             rma_doubts, file_doubts, thread_doubts, flushed_waits, gap_times, finding_bounds,
--             wait_states, catalogue_metrics, call_tree
-- Needs rows: message_doubts or collective_doubts or message_clock_doubts or
--             collective_clock_doubts or rma_doubts or file_doubts or thread_doubts or
--             flushed_waits or gap_times or finding_bounds
-- Output:     severity_bounds
-- Parameters: none
-- Source:     interval arithmetic on the rules of the wait states
-- Assumes:    what the inputs assume: see their queries, and tracemill tables severity_bounds
WITH RECURSIVE
    ancestry AS (
        SELECT
            metric AS part,
            metric
        FROM catalogue_metrics
        UNION ALL
        SELECT
            ancestry.part,
            catalogue_metrics.parent_metric AS metric
        FROM ancestry
        INNER JOIN catalogue_metrics USING (metric)
        WHERE catalogue_metrics.parent_metric IS NOT NULL
    ),

    doubts AS (
        FROM message_doubts
        UNION ALL
        FROM collective_doubts
        UNION ALL
        FROM message_clock_doubts
        UNION ALL
        FROM collective_clock_doubts
        UNION ALL
        FROM rma_doubts
        UNION ALL
        FROM file_doubts
        UNION ALL
        FROM thread_doubts
    ),

    unsure AS (
        SELECT
            metric,
            is_beyond_reference,
            location_id,
            visit_id,
            call_path_id,
            max({'width_ns': most_ns - least_ns, 'reason': reason::VARCHAR}).reason AS reason,
            min(least_ns) AS least_ns,
            max(most_ns) AS most_ns
        FROM doubts
        GROUP BY ALL
    ),

    concerned AS (
        SELECT visit_id FROM unsure
        UNION ALL
        SELECT visit_id FROM flushed_waits
    ),

    waits AS (
        SELECT
            ancestry.metric,
            wait_states.is_beyond_reference,
            wait_states.location_id,
            wait_states.visit_id,
            wait_states.call_path_id,
            sum(wait_states.wait_ns) AS wait_ns,
            sum(coalesce(flushed_waits.flush_ns, 0)) AS flush_ns
        FROM wait_states
        SEMI JOIN concerned USING (visit_id)
        INNER JOIN ancestry ON wait_states.property = ancestry.part
        LEFT JOIN flushed_waits
            ON
                wait_states.property = flushed_waits.property
                AND wait_states.visit_id = flushed_waits.visit_id
        GROUP BY ALL
    ),

    compared AS (
        SELECT
            metric,
            is_beyond_reference,
            location_id,
            visit_id,
            call_path_id,
            unsure.reason,
            coalesce(waits.flush_ns, 0) AS flush_ns,
            least(coalesce(unsure.least_ns, waits.wait_ns), coalesce(waits.wait_ns, 0)) AS least_ns,
            coalesce(waits.wait_ns, 0) AS wait_ns,
            greatest(coalesce(unsure.most_ns, waits.wait_ns), coalesce(waits.wait_ns, 0)) AS most_ns
        FROM unsure
        FULL JOIN waits USING (metric, is_beyond_reference, location_id, visit_id, call_path_id)
    ),

    bounds AS (
        SELECT
            metric,
            call_path_id,
            location_id,
            is_beyond_reference,
            reason,
            wait_ns - least_ns AS less_ns,
            most_ns - wait_ns AS more_ns
        FROM compared
        WHERE reason IS NOT NULL
        UNION ALL
        SELECT
            metric,
            call_path_id,
            location_id,
            is_beyond_reference,
            'buffer_flush',
            least(flush_ns, least_ns),
            0
        FROM compared
        UNION ALL
        SELECT
            'time',
            gap_times.call_path_id,
            gap_times.location_id,
            FALSE,
            gap_times.kind::VARCHAR,
            least(gap_times.gap_ns, call_tree.exclusive_ns),
            0
        FROM gap_times
        INNER JOIN call_tree USING (call_path_id, location_id)
        UNION ALL
        SELECT
            metric,
            call_path_id,
            location_id,
            TRUE,
            reason::VARCHAR,
            less_ns,
            more_ns
        FROM finding_bounds
    )

SELECT
    metric,
    call_path_id,
    location_id,
    is_beyond_reference,
    reason,
    sum(less_ns)::BIGINT AS less_ns,
    sum(more_ns)::BIGINT AS more_ns
FROM bounds
GROUP BY metric, call_path_id, location_id, is_beyond_reference, reason
HAVING sum(less_ns) > 0 OR sum(more_ns) > 0
ORDER BY metric, call_path_id, location_id, is_beyond_reference, reason
