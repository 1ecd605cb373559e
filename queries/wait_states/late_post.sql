-- Late Post: an access to a window is blocked until its target has called MPI_Win_post.
--
--     origin   [ MPI_Win_start .....]  [ MPI_Put ]  [ MPI_Win_complete ]
--     target             [ MPI_Win_post ]
--              |─ wait ──|
--
-- The MPI library chooses which call blocks: MPI_Win_start or MPI_Win_complete, until the last
-- target has posted, or an operation, until its own target has posted. The wait is in the call
-- during which that post began.
--
-- Grain:      one row per visit that waited for a post
-- Inputs:     rma_epochs, rma_epoch_pairs, rma_accesses
-- Needs rows: rma_epoch_pairs
-- Output:     late_post
-- Parameters: none
-- Pattern:    wait state
-- Metrics:    mpi_rma_sync_late_post, mpi_rma_comm_late_post
-- Source:     Scalasca pattern reference, "MPI Late Post Time in Synchronizations" and "... in
--             Communications"; an operation waits only for its own target
-- Assumes:    clocks are synchronized; the trace holds all epochs
WITH
    posts AS (
        SELECT
            *,
            {
                'enter_ns': post_enter_ns,
                'precedence': -post_location_id,
                'location_id': post_location_id,
                'visit_id': post_visit_id
            } AS post
        FROM rma_epoch_pairs
    ),

    last_posts AS (
        SELECT
            start_visit_id,
            max(post) AS post
        FROM posts
        GROUP BY start_visit_id
    ),

    blocked AS (
        SELECT
            'mpi_rma_sync_late_post' AS property,
            epochs.begin_location_id AS location_id,
            epochs.begin_visit_id AS visit_id,
            epochs.begin_call_path_id AS call_path_id,
            epochs.begin_enter_ns AS enter_ns,
            epochs.begin_leave_ns AS leave_ns,
            last_posts.post
        FROM rma_epochs AS epochs
        INNER JOIN last_posts ON epochs.begin_visit_id = last_posts.start_visit_id
        UNION ALL
        SELECT
            'mpi_rma_sync_late_post' AS property,
            epochs.end_location_id AS location_id,
            epochs.end_visit_id AS visit_id,
            epochs.end_call_path_id AS call_path_id,
            epochs.end_enter_ns AS enter_ns,
            epochs.end_leave_ns AS leave_ns,
            last_posts.post
        FROM rma_epochs AS epochs
        INNER JOIN last_posts ON epochs.begin_visit_id = last_posts.start_visit_id
        UNION ALL
        SELECT
            'mpi_rma_comm_late_post' AS property,
            accesses.location_id,
            accesses.visit_id,
            accesses.call_path_id,
            accesses.enter_ns,
            accesses.leave_ns,
            posts.post
        FROM rma_accesses AS accesses
        INNER JOIN posts USING (start_visit_id, target_group_id)
    )

SELECT
    property,
    location_id,
    visit_id,
    call_path_id,
    enter_ns AS start_ns,
    post.enter_ns - enter_ns AS wait_ns,
    post.location_id AS cause_location_id,
    post.visit_id AS cause_visit_id,
    property = 'mpi_rma_sync_late_post' AS is_synchronization,
    TRUE AS is_extended
FROM blocked
WHERE post.enter_ns > enter_ns AND post.enter_ns < leave_ns
QUALIFY row_number() OVER (PARTITION BY visit_id ORDER BY post DESC) = 1
