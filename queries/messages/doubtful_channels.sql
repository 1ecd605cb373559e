-- Channels with a send or receive whose partner is missing: beyond it, messages of the channel may
-- be paired wrongly.
--
-- Grain:      one row per channel with an unmatched message
-- Inputs:     unmatched_messages
-- Needs rows: unmatched_messages
-- Output:     doubtful_channels
-- Parameters: none
-- Source:     MPI 4.0, section 3.5: the order of a channel is all that pairs its messages
-- Assumes:    nothing
SELECT DISTINCT
    communicator_id,
    sender_group_id,
    receiver_group_id,
    tag
FROM unmatched_messages
ORDER BY communicator_id, sender_group_id, receiver_group_id, tag
