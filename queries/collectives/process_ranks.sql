-- Rank of each process in each communicator. If a damaged definition lists a process twice, its
-- first rank counts.
--
-- Grain:      one row per communicator and process in it; none for MPI_COMM_SELF
-- Inputs:     communicator_members
-- Needs rows: communicator_members
-- Output:     process_ranks
-- Parameters: none
-- Source:     MPI 4.0, section 7.2.1: a process has one rank in a group
-- Assumes:    nothing
WITH
    first_places AS (
        SELECT
            communicator_id,
            location_group_id,
            min({'side': side, 'comm_rank': comm_rank}) AS place
        FROM communicator_members
        WHERE location_group_id IS NOT NULL
        GROUP BY communicator_id, location_group_id
    )

SELECT
    communicator_id,
    location_group_id,
    place.side,
    place.comm_rank
FROM first_places
