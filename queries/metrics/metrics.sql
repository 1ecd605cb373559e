-- The metrics, their hierarchy and their meaning. A metric includes its sub-metrics.
--
-- Grain:      one row per metric
-- Inputs:     none
-- Output:     metrics
-- Parameters: none
-- Source:     Scalasca pattern reference
-- Assumes:    nothing
WITH
    listed (metric, parent_metric, kind, title, unit, meaning) AS (
        VALUES
        (
            'time', NULL, 'profile', 'Time', 'ns',
            'Time in the call itself, without callees.'
        ),
        (
            'visits', NULL, 'profile', 'Visits', 'visits',
            'How often the call path was entered.'
        ),
        (
            'bytes_sent', NULL, 'communication', 'Bytes sent', 'bytes',
            'Bytes of point-to-point messages, at the call that posts the send.'
        ),
        (
            'bytes_rcvd', NULL, 'communication', 'Bytes received', 'bytes',
            'Bytes of matched messages as sent, at the call that completes the receive.'
        ),
        (
            'comms_send', NULL, 'communication', 'Sends', 'occurrences',
            'Sends that carry data, at the call that posts the send.'
        ),
        (
            'comms_recv', NULL, 'communication', 'Receives', 'occurrences',
            'Matched receives of data, at the call that completes the receive.'
        ),
        (
            'syncs_send', NULL, 'communication', 'Synchronising sends', 'occurrences',
            'Sends of zero bytes, at the call that posts the send.'
        ),
        (
            'syncs_recv', NULL, 'communication', 'Synchronising receives', 'occurrences',
            'Matched receives of zero bytes, at the call that completes the receive.'
        ),
        (
            'bytes_cout', NULL, 'communication', 'Bytes sent in collectives', 'bytes',
            'Bytes that a process puts into blocking collectives.'
        ),
        (
            'bytes_cin', NULL, 'communication', 'Bytes received in collectives', 'bytes',
            'Bytes that a process gets out of blocking collectives.'
        ),
        (
            'comms_cxch', NULL, 'communication', 'Collective exchanges', 'occurrences',
            'Blocking collectives in which the process both sends and receives data.'
        ),
        (
            'comms_csrc', NULL, 'communication', 'Collectives as source', 'occurrences',
            'Blocking collectives in which the process only sends data.'
        ),
        (
            'comms_cdst', NULL, 'communication', 'Collectives as destination', 'occurrences',
            'Blocking collectives in which the process only receives data.'
        ),
        (
            'syncs_coll', NULL, 'communication', 'Collective synchronisations', 'occurrences',
            'Blocking collectives without data, such as barriers.'
        ),
        (
            'mpi_latesender', NULL, 'wait state', 'Late Sender', 'ns',
            'Time blocked in completing a receive whose message was not yet sent.'
        ),
        (
            'mpi_latesender_wo', 'mpi_latesender', 'wait state', 'Late Sender, Wrong Order', 'ns',
            'Late Sender time while a message sent earlier was left waiting.'
        ),
        (
            'mpi_lswo_same', 'mpi_latesender_wo', 'wait state', 'Wrong Order, Same Source', 'ns',
            'The message left waiting came from the awaited process.'
        ),
        (
            'mpi_lswo_different', 'mpi_latesender_wo', 'wait state',
            'Wrong Order, Different Sources', 'ns',
            'The message left waiting came from another process.'
        ),
        (
            'mpi_latereceiver', NULL, 'wait state', 'Late Receiver', 'ns',
            'Time blocked in completing a send whose receive was not yet posted.'
        ),
        (
            'mpi_cls_count', 'comms_recv', 'wait state', 'Late Senders, data', 'occurrences',
            'Calls with Late Sender time whose longest awaited message carried data.'
        ),
        (
            'mpi_clswo_count', 'mpi_cls_count', 'wait state',
            'Late Senders, Wrong Order, data', 'occurrences',
            'Late Senders, data, that waited in the wrong order.'
        ),
        (
            'mpi_sls_count', 'syncs_recv', 'wait state', 'Late Senders, zero bytes', 'occurrences',
            'Calls with Late Sender time whose longest awaited message had zero bytes.'
        ),
        (
            'mpi_slswo_count', 'mpi_sls_count', 'wait state',
            'Late Senders, Wrong Order, zero bytes', 'occurrences',
            'Late Senders, zero bytes, that waited in the wrong order.'
        ),
        (
            'mpi_clr_count', NULL, 'wait state', 'Late Receivers, data', 'occurrences',
            'Calls with Late Receiver time whose longest awaited message carried data.'
        ),
        (
            'mpi_slr_count', NULL, 'wait state', 'Late Receivers, zero bytes', 'occurrences',
            'Calls with Late Receiver time whose longest awaited message had zero bytes.'
        ),
        (
            'mpi_barrier_wait', NULL, 'wait state', 'Wait at Barrier', 'ns',
            'Time in a barrier until the last process has entered it.'
        ),
        (
            'mpi_barrier_completion', NULL, 'wait state', 'Barrier Completion', 'ns',
            'Time in a barrier after the first process has left it.'
        ),
        (
            'mpi_wait_nxn', NULL, 'wait state', 'Wait at N × N', 'ns',
            'Time in a collective from all to all until the last process has entered it.'
        ),
        (
            'mpi_nxn_completion', NULL, 'wait state', 'N × N Completion', 'ns',
            'Time in a collective from all to all after the first process has left it.'
        ),
        (
            'mpi_latebroadcast', NULL, 'wait state', 'Late Broadcast', 'ns',
            'Time in a collective from one to all until its root has entered it.'
        ),
        (
            'mpi_earlyreduce', NULL, 'wait state', 'Early Reduce', 'ns',
            'Time of the root in a collective from all to one until the last sender enters.'
        ),
        (
            'mpi_earlyscan', NULL, 'wait state', 'Early Scan', 'ns',
            'Time in a prefix reduction until the last process of a lower rank enters.'
        ),
        (
            'mpi_init_completion', NULL, 'wait state', 'Init Completion', 'ns',
            'Time in MPI_Init after the first process has left it.'
        ),
        (
            'mpi_finalize_wait', NULL, 'wait state', 'Wait at Finalize', 'ns',
            'Time in MPI_Finalize until the last process has entered it.'
        ),
        (
            'critical_path', NULL, 'critical path', 'Critical Path', 'ns',
            'Time on the chain of activities that decided how long the run took.'
        ),
        (
            'critical_path_activities', NULL, 'critical path', 'Critical-Path Activities', 'ns',
            'Work in a call path, up to the time the critical path spends there.'
        ),
        (
            'non_critical_path_activities', NULL, 'critical path',
            'Non-Critical-Path Activities', 'ns',
            'Work in a call path beyond the time the critical path spends there.'
        ),
        (
            'critical_imbalance_impact', NULL, 'critical path',
            'Critical-Path Imbalance Impact', 'ns',
            'Time processes lose beside the critical path, charged to what they lose it to.'
        ),
        (
            'inter_partition_imbalance', 'critical_imbalance_impact', 'critical path',
            'Inter-Partition Imbalance', 'ns',
            'The part of it lost to call paths that the losing process never works in.'
        ),
        (
            'critical_path_imbalance', NULL, 'critical path', 'Critical-Path Imbalance', 'ns',
            'Part of the critical path that work spread evenly would not need.'
        )
    )

SELECT
    metric,
    parent_metric,
    kind,
    title,
    unit,
    meaning
FROM listed
ORDER BY metric
