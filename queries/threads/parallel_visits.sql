-- Visits of parallel regions by members of a thread team, with the fork and join of the team.
--
-- The time from the fork to the region's enter, and from its leave to the join, is part of the
-- visit's exclusive time (see visits). If the region has a caller, this time is subtracted from the
-- caller:
--
--     master   [solve     [parallel             ]    ]      parallel lasts from 5 to 60 on both
--     worker                [parallel         ]             threads, solve has only the rest
--           0  fork 5    10 12             50 55  60 join
--
-- The end of a visit without a recorded leave is not extended to the join.
--
-- Grain:      one row per visit of a parallel region by a member of a team
-- Inputs:     visits, regions, locations, thread_teams, thread_team_members
-- Needs rows: thread_teams
-- Output:     parallel_visits
-- Parameters: none
-- Source:     Scalasca pattern reference, "OpenMP Thread Management Time"
-- Assumes:    a thread enters the team's parallel region before any other region
WITH
    entered AS (
        SELECT
            visits.visit_id,
            visits.location_id,
            visits.call_path_id,
            visits.parent_visit_id IS NULL AS is_start,
            visits.enter_ns,
            visits.leave_ns,
            visits.is_closed
        FROM visits
        SEMI JOIN (SELECT region_id FROM regions WHERE role = 'parallel') AS parallel_regions
            ON visits.region_id = parallel_regions.region_id
    ),

    first_entered AS (
        SELECT
            location_id,
            enter_ns,
            min(visit_id) AS visit_id
        FROM entered
        GROUP BY ALL
    ),

    -- Teams without a communicator come from traces that do not record when the forking thread
    -- begins to work.
    unnamed_teams AS (
        SELECT
            thread_teams.*,
            locations.location_group_id
        FROM thread_teams
        INNER JOIN locations USING (location_id)
        WHERE thread_teams.communicator_id IS NULL
    ),

    team_work AS (
        SELECT
            thread_team_id,
            location_id,
            begin_ns,
            end_ns
        FROM thread_team_members
        UNION ALL
        SELECT
            thread_team_id,
            location_id,
            fork_ns AS begin_ns,
            join_ns AS end_ns
        FROM unnamed_teams
    ),

    members AS (
        SELECT
            first_entered.visit_id,
            max((team_work.begin_ns, team_work.thread_team_id))[2] AS thread_team_id
        FROM team_work
        ASOF INNER JOIN first_entered
            ON
                team_work.location_id = first_entered.location_id
                AND team_work.begin_ns <= first_entered.enter_ns
        WHERE first_entered.enter_ns <= team_work.end_ns
        GROUP BY first_entered.visit_id
    ),

    distinct_forks AS (
        SELECT *
        FROM unnamed_teams
        QUALIFY row_number() OVER (
                PARTITION BY location_group_id, fork_ns ORDER BY thread_team_id DESC
            ) = 1
    ),

    unnamed_workers AS (
        SELECT
            started.visit_id,
            unnamed_teams.thread_team_id
        FROM (
            SELECT
                entered.visit_id,
                entered.location_id,
                entered.enter_ns,
                locations.location_group_id
            FROM entered
            INNER JOIN locations USING (location_id)
            WHERE entered.is_start
        ) AS started
        ASOF INNER JOIN distinct_forks AS unnamed_teams
            ON
                started.location_group_id = unnamed_teams.location_group_id
                AND started.enter_ns >= unnamed_teams.fork_ns
        WHERE
            started.enter_ns <= unnamed_teams.join_ns
            AND started.location_id <> unnamed_teams.location_id
    ),

    working AS (
        FROM members
        UNION ALL
        FROM unnamed_workers
        ANTI JOIN members USING (visit_id)
    )

SELECT
    entered.visit_id,
    entered.location_id,
    entered.call_path_id,
    working.thread_team_id,
    thread_teams.location_id AS master_location_id,
    entered.is_start,
    least(thread_teams.fork_ns, entered.enter_ns) AS fork_ns,
    entered.enter_ns,
    entered.leave_ns,
    if(
        entered.is_closed, greatest(thread_teams.join_ns, entered.leave_ns), entered.leave_ns
    ) AS join_ns
FROM working
INNER JOIN entered USING (visit_id)
INNER JOIN thread_teams USING (thread_team_id)
