-- Time in which the measurement wrote its buffer or was switched off, by call path.
--
-- Nothing is recorded inside a gap, so it belongs to the call that is open when it begins: the one
-- entered last, or what called the one left last.
--
-- Grain:      one row per call path, location and kind of gap
-- Inputs:     measurement_gaps, visits
-- Needs rows: measurement_gaps, visits
-- Output:     gap_times
-- Parameters: none
-- Source:     the nesting of visits
-- Assumes:    nothing
WITH
    gaps AS (
        SELECT
            location_id,
            kind,
            begin_ns,
            sum(end_ns - begin_ns) AS gap_ns
        FROM measurement_gaps
        WHERE end_ns > begin_ns
        GROUP BY ALL
    ),

    near_visits AS (
        SELECT visits.*
        FROM visits
        SEMI JOIN gaps USING (location_id)
    ),

    -- At one time, of what is entered and not left the innermost, else what called the outermost
    -- that is left.
    changes AS (
        SELECT
            location_id,
            time_ns,
            max_by(open_visit_id, precedence) AS visit_id
        FROM (
            SELECT
                location_id,
                enter_ns AS time_ns,
                visit_id AS open_visit_id,
                {'is_open': 1, 'place': visit_id} AS precedence
            FROM near_visits
            WHERE leave_ns > enter_ns
            UNION ALL
            SELECT
                location_id,
                leave_ns,
                coalesce(parent_visit_id, -1),
                {'is_open': 0, 'place': -visit_id}
            FROM near_visits
        )
        GROUP BY location_id, time_ns
    ),

    placed AS (
        SELECT
            gaps.*,
            changes.visit_id
        FROM gaps
        ASOF INNER JOIN changes
            ON gaps.location_id = changes.location_id AND gaps.begin_ns >= changes.time_ns
    )

SELECT
    near_visits.call_path_id,
    placed.location_id,
    placed.kind,
    sum(placed.gap_ns)::BIGINT AS gap_ns
FROM placed
INNER JOIN near_visits USING (visit_id)
GROUP BY ALL
ORDER BY near_visits.call_path_id, placed.location_id, placed.kind
