-- The metrics, their hierarchy and their meaning. A metric includes its sub-metrics.
--
-- Grain:      one row per metric
-- Inputs:     none
-- Output:     metrics
-- Parameters: none
-- Source:     Scalasca pattern reference
-- Assumes:    nothing
WITH
    listed (metric, parent_metric, title, unit, meaning) AS (
        VALUES
        (
            'time', NULL, 'Time', 'ns',
            'Time in the call itself, without callees.'
        ),
        (
            'visits', NULL, 'Visits', 'visits',
            'How often the call path was entered.'
        ),
        (
            'bytes_sent', NULL, 'Bytes sent', 'bytes',
            'Bytes of point-to-point messages, at the call that posts the send.'
        ),
        (
            'bytes_rcvd', NULL, 'Bytes received', 'bytes',
            'Bytes of matched messages as sent, at the call that completes the receive.'
        ),
        (
            'comms_send', NULL, 'Sends', 'occurrences',
            'Sends that carry data, at the call that posts the send.'
        ),
        (
            'comms_recv', NULL, 'Receives', 'occurrences',
            'Matched receives of data, at the call that completes the receive.'
        ),
        (
            'syncs_send', NULL, 'Synchronising sends', 'occurrences',
            'Sends of zero bytes, at the call that posts the send.'
        ),
        (
            'syncs_recv', NULL, 'Synchronising receives', 'occurrences',
            'Matched receives of zero bytes, at the call that completes the receive.'
        ),
        (
            'mpi_latesender', NULL, 'Late Sender', 'ns',
            'Time blocked in completing a receive whose message was not yet sent.'
        ),
        (
            'mpi_latesender_wo', 'mpi_latesender', 'Late Sender, Wrong Order', 'ns',
            'Late Sender time while a message sent earlier was left waiting.'
        ),
        (
            'mpi_lswo_same', 'mpi_latesender_wo', 'Wrong Order, Same Source', 'ns',
            'The message left waiting came from the awaited process.'
        ),
        (
            'mpi_lswo_different', 'mpi_latesender_wo', 'Wrong Order, Different Sources', 'ns',
            'The message left waiting came from another process.'
        ),
        (
            'mpi_latereceiver', NULL, 'Late Receiver', 'ns',
            'Time blocked in completing a send whose receive was not yet posted.'
        ),
        (
            'mpi_cls_count', 'comms_recv', 'Late Senders, data', 'occurrences',
            'Calls with Late Sender time whose longest awaited message carried data.'
        ),
        (
            'mpi_clswo_count', 'mpi_cls_count', 'Late Senders, Wrong Order, data', 'occurrences',
            'Those of them in wrong order.'
        ),
        (
            'mpi_sls_count', 'syncs_recv', 'Late Senders, zero bytes', 'occurrences',
            'Calls with Late Sender time whose longest awaited message had zero bytes.'
        ),
        (
            'mpi_slswo_count', 'mpi_sls_count', 'Late Senders, Wrong Order, zero bytes',
            'occurrences',
            'Those of them in wrong order.'
        ),
        (
            'mpi_clr_count', NULL, 'Late Receivers, data', 'occurrences',
            'Calls with Late Receiver time whose longest awaited message carried data.'
        ),
        (
            'mpi_slr_count', NULL, 'Late Receivers, zero bytes', 'occurrences',
            'Calls with Late Receiver time whose longest awaited message had zero bytes.'
        )
    )

SELECT
    metric,
    parent_metric,
    title,
    unit,
    meaning
FROM listed
ORDER BY metric
