-- How far findings may be off, because of what is missing, clipped or disturbed in the trace.
--
--     costs of operations     the measurement's own time in their calls is none of the program; so
--                             it is with large messages
--     uneven distribution     so it is in computation, where it also lowers the mean; a location
--                             that ends early may have had the time that others have above it
--     large messages          what the calls may have waited less is more, and the other way round
--     starving workers        as Late Sender, in all calls of workers
--
-- Of an overloaded master, tasks too fine and the most frequent operation the confidence tells.
--
-- Grain:      one row per metric, call path, location and reason with a bound other than zero
-- Inputs:     operation_costs, leading_communication, uneven_distribution, large_messages,
--             master_worker_starving, master_workers, gap_times, disturbed_processes,
--             message_doubts, message_clock_doubts, collective_doubts, collective_clock_doubts,
--             flushed_waits, locations, visits
-- Needs rows: gap_times or disturbed_processes or message_doubts or message_clock_doubts or
--             collective_doubts or collective_clock_doubts or flushed_waits
-- Output:     finding_bounds
-- Parameters: none
-- Source:     interval arithmetic on the rules of the findings
-- Assumes:    what is found stays found: the same operation leads, the same process is the master,
--             the same call paths are uneven, the same messages large
WITH
    gaps AS (
        SELECT
            call_path_id,
            location_id,
            max_by(kind::VARCHAR, {'gap_ns': gap_ns, 'kind': kind::VARCHAR}) AS reason,
            sum(gap_ns) AS gap_ns
        FROM gap_times
        GROUP BY call_path_id, location_id
    ),

    doubts AS (
        FROM message_doubts
        UNION ALL
        FROM message_clock_doubts
        UNION ALL
        FROM collective_doubts
        UNION ALL
        FROM collective_clock_doubts
    ),

    unsure_calls AS (
        SELECT visit_id, min(reason::VARCHAR) AS reason
        FROM doubts
        GROUP BY visit_id
    ),

    costs AS (
        SELECT property, call_path_id, location_id, value
        FROM operation_costs
        UNION ALL
        SELECT property, call_path_id, location_id, value
        FROM leading_communication
        WHERE property = 'dominating_communication'
        UNION ALL
        -- Of unsure calls nothing is left to take.
        SELECT property, call_path_id, location_id, sum(value)
        FROM large_messages
        ANTI JOIN unsure_calls USING (visit_id)
        GROUP BY property, call_path_id, location_id
    ),

    -- The mean is lower by what is taken from all locations, and higher by what is missing of some.
    unsure_means AS (
        SELECT
            uneven_distribution.call_path_id,
            max(gaps.reason) AS reason,
            coalesce(sum(gaps.gap_ns), 0) AS more_ns
        FROM (SELECT DISTINCT call_path_id FROM uneven_distribution) AS uneven_distribution
        LEFT JOIN gaps USING (call_path_id)
        GROUP BY uneven_distribution.call_path_id
    ),

    unsure_loads AS (
        SELECT
            uneven.property,
            uneven.call_path_id,
            uneven.location_id,
            coalesce(unsure_means.reason, losses.reason) AS reason,
            uneven.value AS less_ns,
            unsure_means.more_ns
        FROM uneven_distribution AS uneven
        INNER JOIN unsure_means USING (call_path_id)
        CROSS JOIN (SELECT min(reason::VARCHAR) AS reason FROM disturbed_processes) AS losses
        WHERE coalesce(unsure_means.reason, losses.reason) IS NOT NULL
    ),

    unsure_starving AS (
        SELECT
            visit_id,
            any_value(location_id) AS location_id,
            any_value(call_path_id) AS call_path_id,
            min(reason::VARCHAR) AS reason,
            max(most_ns) AS most_ns
        FROM doubts
        WHERE
            metric = 'mpi_latesender'
            AND location_id IN (
                SELECT locations.location_id
                FROM master_workers
                INNER JOIN locations
                    ON master_workers.worker_group_id = locations.location_group_id
            )
        GROUP BY visit_id
    ),

    starving AS (
        SELECT
            coalesce(unsure.location_id, found.location_id) AS location_id,
            coalesce(unsure.call_path_id, found.call_path_id) AS call_path_id,
            coalesce(unsure.reason, 'buffer_flush') AS reason,
            if(unsure.visit_id IS NULL, flushed.flush_ns, found.value) AS less_ns,
            greatest(unsure.most_ns - coalesce(found.value, 0), 0) AS more_ns
        FROM unsure_starving AS unsure
        FULL JOIN master_worker_starving AS found ON unsure.visit_id = found.visit_id
        LEFT JOIN (
            SELECT visit_id, max(flush_ns) AS flush_ns
            FROM flushed_waits
            WHERE property IN ('mpi_latesender', 'mpi_lswo_same', 'mpi_lswo_different')
            GROUP BY visit_id
        ) AS flushed
            ON found.visit_id = flushed.visit_id
        WHERE unsure.visit_id IS NOT NULL OR flushed.flush_ns > 0
    ),

    bounds (metric, call_path_id, location_id, reason, less_ns, more_ns) AS (
        SELECT
            costs.property,
            costs.call_path_id,
            costs.location_id,
            gaps.reason,
            least(gaps.gap_ns, costs.value),
            0
        FROM costs
        INNER JOIN gaps USING (call_path_id, location_id)
        UNION ALL
        SELECT property, call_path_id, location_id, reason, less_ns, more_ns
        FROM unsure_loads
        UNION ALL
        SELECT
            found.property,
            found.call_path_id,
            found.location_id,
            unsure_calls.reason,
            found.value,
            visits.leave_ns - visits.enter_ns - found.value
        FROM large_messages AS found
        INNER JOIN unsure_calls USING (visit_id)
        INNER JOIN visits USING (visit_id)
        UNION ALL
        SELECT
            'master_worker_starving',
            call_path_id,
            location_id,
            reason,
            coalesce(less_ns, 0),
            coalesce(more_ns, 0)
        FROM starving
    )

SELECT
    metric,
    call_path_id,
    location_id,
    reason,
    sum(less_ns)::BIGINT AS less_ns,
    sum(more_ns)::BIGINT AS more_ns
FROM bounds
GROUP BY metric, call_path_id, location_id, reason
HAVING sum(less_ns) > 0 OR sum(more_ns) > 0
ORDER BY metric, call_path_id, location_id, reason
