-- Dependencies of threads and accelerators of one moment on one other, for running the trace again.
--
--     kind          waits                            for
--     fork          begin of a team on a worker      fork
--     lock          acquire                          release before it
--     task          begin of a task                  its creation
--     thread        begin of a thread, wait for it   its creation, its end
--     launch        begin of a kernel                enter of the call that launched it
--     device        leave of a call that waits       end of the last kernel of each stream before
--
-- Grain:      one row per dependency
-- Inputs:     thread_events, thread_teams, thread_team_members, parallel_visits, lock_operations,
--             locations, kernels, awaited_kernels
-- Needs rows: thread_events or lock_operations or kernels or awaited_kernels
-- Output:     replay_thread_edges
-- Parameters: none
-- Source:     OpenMP 5.2; Scalasca pattern reference, for what synchronizes
-- Assumes:    the trace shows which threads met, and a changed run would have them meet alike
WITH
    records AS (
        SELECT
            events.*,
            locations.location_group_id,
            -1 - events.location_id::BIGINT * 4294967296 - events.sequence AS boundary_id
        FROM thread_events AS events
        INNER JOIN locations USING (location_id)
    ),

    located AS (
        SELECT
            location_id,
            kind,
            time_ns,
            max(boundary_id) AS boundary_id
        FROM records
        WHERE kind IN ('fork', 'team_begin')
        GROUP BY location_id, kind, time_ns
    ),

    workers AS (
        SELECT
            begins.boundary_id,
            teams.location_id AS master_location_id,
            teams.fork_ns
        FROM thread_team_members AS members
        INNER JOIN thread_teams AS teams USING (thread_team_id)
        INNER JOIN located AS begins
            ON
                members.location_id = begins.location_id
                AND members.begin_ns = begins.time_ns
                AND begins.kind = 'team_begin'
        WHERE members.location_id <> teams.location_id
        UNION ALL
        -- Traces without records of teams: the worker enters the region.
        SELECT
            2 * visits.visit_id AS boundary_id,
            visits.master_location_id,
            visits.fork_ns
        FROM parallel_visits AS visits
        ANTI JOIN thread_team_members AS members
            ON
                visits.thread_team_id = members.thread_team_id
                AND visits.location_id = members.location_id
        WHERE visits.location_id <> visits.master_location_id
    ),

    forks AS (
        SELECT
            workers.boundary_id,
            located.boundary_id AS cause_boundary_id
        FROM workers
        INNER JOIN located
            ON
                workers.master_location_id = located.location_id
                AND workers.fork_ns = located.time_ns
                AND located.kind = 'fork'
    ),

    locks AS (
        SELECT
            lock_operations.*,
            locations.location_group_id,
            -1 - lock_operations.location_id::BIGINT * 4294967296 - lock_operations.sequence
                AS boundary_id
        FROM lock_operations
        INNER JOIN locations USING (location_id)
    ),

    task_begins AS (
        SELECT
            switches.boundary_id,
            creates.boundary_id AS cause_boundary_id
        FROM (FROM records WHERE kind = 'task_switch') AS switches
        ASOF INNER JOIN (FROM records WHERE kind = 'task_create') AS creates
            ON
                switches.location_group_id = creates.location_group_id
                AND switches.communicator_id = creates.communicator_id
                AND switches.thread = creates.thread
                AND switches.number = creates.number
                AND switches.time_ns >= creates.time_ns
        QUALIFY
            row_number() OVER (
                PARTITION BY creates.boundary_id ORDER BY switches.time_ns, switches.boundary_id
            ) = 1
    ),

    threads AS (
        SELECT
            later.boundary_id,
            earlier.boundary_id AS cause_boundary_id
        FROM records AS later
        INNER JOIN records AS earlier
            ON
                later.location_group_id = earlier.location_group_id
                AND later.communicator_id IS NOT DISTINCT FROM earlier.communicator_id
                AND later.number = earlier.number
        WHERE
            (later.kind = 'begin' AND earlier.kind = 'create')
            OR (later.kind = 'wait' AND earlier.kind = 'end')
    ),

    edges AS (
        SELECT 'fork' AS kind, * FROM forks
        UNION ALL BY NAME
        SELECT
            'lock' AS kind,
            acquired.boundary_id,
            released.boundary_id AS cause_boundary_id
        FROM (FROM locks WHERE kind = 'acquire') AS acquired
        ASOF INNER JOIN (FROM locks WHERE kind = 'release') AS released
            ON
                acquired.location_group_id = released.location_group_id
                AND acquired.paradigm = released.paradigm
                AND acquired.lock_id = released.lock_id
                AND acquired.acquisition_order = released.acquisition_order + 1
                AND acquired.time_ns >= released.time_ns
        UNION ALL BY NAME
        SELECT 'task' AS kind, * FROM task_begins
        UNION ALL BY NAME
        SELECT 'thread' AS kind, * FROM threads
        UNION ALL BY NAME
        SELECT
            'launch' AS kind,
            2 * visit_id AS boundary_id,
            2 * launch_visit_id AS cause_boundary_id
        FROM kernels
        UNION ALL BY NAME
        SELECT
            'device' AS kind,
            2 * visit_id + 1 AS boundary_id,
            2 * cause_visit_id + 1 AS cause_boundary_id
        FROM awaited_kernels
    )

SELECT DISTINCT
    kind,
    boundary_id::BIGINT AS boundary_id,
    cause_boundary_id::BIGINT AS cause_boundary_id
FROM edges
WHERE boundary_id IS NOT NULL AND cause_boundary_id IS NOT NULL
