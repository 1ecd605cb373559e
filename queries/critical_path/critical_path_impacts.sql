-- Cost of the critical path for the other locations: their lost time, attributed to the call paths
-- on the critical path that cause it.
--
-- CP(c) is the length of the critical path at call path c, l_p(c) the work of process p there. The
-- work that p lacks at c, and its lost time in total, are:
--
--     x_p(c) = max(CP(c) - l_p(c), 0)
--     A_p    = sum over c of CP(c) - sum over c of l_p(c)
--     impact = sum over p of A_p * x_p(c) / (sum over c of x_p(c))
--
-- Between partitions, only call paths count in which p does not work at all:
--
--     x_p(c) = CP(c) where l_p(c) = 0, else 0
--     A_p    = sum over c of CP(c) - sum over c with l_p(c) > 0 of max(l_p(c), CP(c))
--
-- If a process lacks no work anywhere, its share is 0/0, and Scalasca's analyzer reports no impact
-- of any process. The default does the same, so that results can be compared; with
-- $is_impact_strict = false, such a process contributes nothing and the others still do.
--
-- Grain:      one row per call path on the critical path
-- Inputs:     critical_path_profile, critical_path_work, location_spans
-- Needs rows: critical_path_profile
-- Output:     critical_path_impacts
-- Parameters: $is_impact_strict  no impact if a process lacks no work anywhere
--                                (BOOLEAN, default true)
-- Source:     Böhme, "Characterizing load and communication imbalance in parallel applications",
--             2013; Scalasca, "critical-path imbalance impact"
-- Assumes:    nothing
WITH
    path_times AS (
        SELECT
            call_path_id,
            sum(path_ns)::BIGINT AS path_ns
        FROM critical_path_profile
        GROUP BY call_path_id
        HAVING sum(path_ns) > 0
    ),

    works AS (
        SELECT
            location_id,
            sum(work_ns) AS work_ns,
            sum(least(work_ns, path_ns)) AS common_ns,
            sum(greatest(work_ns, path_ns)) AS covered_ns,
            sum(path_ns) AS visited_path_ns
        FROM critical_path_work
        GROUP BY location_id
    ),

    -- A_p and the sum of x_p(c), for both definitions.
    losses AS (
        SELECT
            location_spans.location_id,
            lengths.path_ns - coalesce(works.work_ns, 0) AS lost_ns,
            lengths.path_ns - coalesce(works.common_ns, 0) AS lacking_ns,
            lengths.path_ns - coalesce(works.covered_ns, 0) AS partition_lost_ns,
            lengths.path_ns - coalesce(works.visited_path_ns, 0) AS partition_lacking_ns
        FROM location_spans
        CROSS JOIN (SELECT sum(path_ns) AS path_ns FROM critical_path_profile) AS lengths
        LEFT JOIN works USING (location_id)
        WHERE location_spans.is_worker
    ),

    -- A_p / (sum of x_p(c)) as integers in units of 2^-40, so that sums do not depend on the order.
    -- The ratio is at most 1. It is cut off at -2^20, which only occurs if a process lacks almost
    -- no work.
    weights AS (
        SELECT
            location_id,
            if(
                lacking_ns > 0,
                greatest((lost_ns * 1099511627776) // lacking_ns, -1152921504606846976),
                0
            ) AS weight,
            if(
                partition_lacking_ns > 0,
                greatest(
                    (partition_lost_ns * 1099511627776) // partition_lacking_ns,
                    -1152921504606846976
                ),
                0
            ) AS partition_weight
        FROM losses
    ),

    totals AS (
        SELECT
            sum(weight) AS weight,
            sum(partition_weight) AS partition_weight,
            NOT $is_impact_strict::BOOLEAN OR (SELECT min(lacking_ns) > 0 FROM losses)
                AS is_charged,
            NOT $is_impact_strict::BOOLEAN OR (SELECT min(partition_lacking_ns) > 0 FROM losses)
                AS is_partition_charged
        FROM weights
    ),

    -- Processes that work at a call path; all others lack CP(c).
    charges AS (
        SELECT
            critical_path_work.call_path_id,
            sum(
                greatest(critical_path_work.path_ns - critical_path_work.work_ns, 0)
                * weights.weight
            ) AS charge,
            sum(weights.weight) AS weight,
            sum(weights.partition_weight) AS partition_weight
        FROM critical_path_work
        INNER JOIN weights USING (location_id)
        WHERE critical_path_work.path_ns > 0
        GROUP BY critical_path_work.call_path_id
    ),

    impacts AS (
        SELECT
            path_times.call_path_id,
            path_times.path_ns,
            coalesce(charges.charge, 0)
            + path_times.path_ns * (totals.weight - coalesce(charges.weight, 0)) AS impact,
            path_times.path_ns * (totals.partition_weight - coalesce(charges.partition_weight, 0))
                AS partition_impact,
            totals.is_charged,
            totals.is_partition_charged
        FROM path_times
        CROSS JOIN totals
        LEFT JOIN charges USING (call_path_id)
    )

SELECT
    call_path_id,
    path_ns,
    if(is_charged, greatest(impact, 0)::DOUBLE / 1099511627776, 0) AS impact_ns,
    if(is_partition_charged, greatest(partition_impact, 0)::DOUBLE / 1099511627776, 0)
        AS partition_impact_ns
FROM impacts
