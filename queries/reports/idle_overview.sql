-- Idle time of all locations together, with the most idle location.
--
-- Grain:      one row if there are locations
-- Inputs:     idle_times, locations
-- Output:     report section load balance
-- Parameters: none
-- Assumes:    of equals, the location with the smallest number counts
WITH
    -- Place 1 is the most idle location.
    placed AS (
        SELECT
            idle_times.*,
            locations.rank,
            locations.thread,
            row_number() OVER (ORDER BY idle_times.idle_ns DESC, idle_times.location_id) AS place
        FROM idle_times
        INNER JOIN locations ON idle_times.location_id = locations.location_id
    ),

    summed AS (
        SELECT
            sum(idle_ns) AS idle_ns,
            avg(idle_ratio) AS idle_ratio,
            min(idle_ns) AS shortest_ns
        FROM placed
        HAVING count(*) > 0
    )

SELECT
    summed.idle_ns::BIGINT AS idle_ns,
    summed.idle_ratio,
    summed.shortest_ns,
    placed.rank AS worst_rank,
    placed.thread AS worst_thread,
    placed.idle_ns AS worst_ns,
    placed.wait_ns AS worst_wait_ns,
    placed.idle_thread_ns AS worst_idle_thread_ns,
    placed.absent_ns AS worst_absent_ns
FROM summed
INNER JOIN placed ON placed.place = 1
ORDER BY placed.place
