-- Channels on which the partner of a send or receive is missing. Later messages of the channel may
-- be paired wrongly.
--
-- Grain:      one row per channel with an unmatched message
-- Inputs:     unmatched_messages
-- Needs rows: unmatched_messages
-- Output:     doubtful_channels
-- Parameters: none
-- Source:     MPI 4.0, section 3.5: messages of a channel are paired by their order only
-- Assumes:    nothing
SELECT DISTINCT
    communicator_id,
    sender_group_id,
    receiver_group_id,
    tag
FROM unmatched_messages
