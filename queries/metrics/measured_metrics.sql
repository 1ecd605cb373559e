-- The metrics that no pattern declares, their hierarchy and their meaning.
--
-- A metric includes its sub-metrics.
--
-- Grain:      one row per metric
-- Inputs:     none
-- Output:     measured_metrics
-- Parameters: none
-- Source:     Scalasca pattern reference; Truong and Fahringer 2001 (SCALEA) on overheads
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
            'io_time', NULL, 'input/output', 'File Operations', 'ns',
            'Time from begin to end of operations on files, callees included.'
        ),
        (
            'io_operations', NULL, 'input/output', 'Reads, writes and flushes', 'occurrences',
            'Operations that read, write or flush a file, at the call that begins them.'
        ),
        (
            'io_reads', 'io_operations', 'input/output', 'Reads', 'occurrences',
            'Operations that read a file, at the call that begins them.'
        ),
        (
            'io_writes', 'io_operations', 'input/output', 'Writes', 'occurrences',
            'Operations that write a file, at the call that begins them.'
        ),
        (
            'io_bytes_read', NULL, 'input/output', 'Bytes read', 'bytes',
            'Bytes read from files, at the call that begins to.'
        ),
        (
            'io_bytes_written', NULL, 'input/output', 'Bytes written', 'bytes',
            'Bytes written to files, at the call that begins to.'
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
            'omp_management', NULL, 'threads', 'OpenMP Thread Management', 'ns',
            'Time of threads of a team from the fork to entering and from leaving to the join.'
        ),
        (
            'omp_fork', 'omp_management', 'threads', 'OpenMP Thread Team Fork', 'ns',
            'The part of it from the fork until the thread has entered the parallel region.'
        ),
        (
            'omp_idle_threads', NULL, 'threads', 'OpenMP Idle Threads', 'ns',
            'Time of the master that threads of its teams are idle, in its call paths.'
        ),
        (
            'omp_limited_parallelism', 'omp_idle_threads', 'threads',
            'OpenMP Limited Parallelism', 'ns',
            'The part of it in parallel regions of teams that the thread does not belong to.'
        ),
        (
            'mpi_rma_pairsync_count', NULL, 'communication',
            'Pair-wise One-sided Synchronisations', 'occurrences',
            'Pairs of processes that MPI_Win_complete or a fence synchronised.'
        ),
        (
            'mpi_rma_pairsync_unneeded_count', 'mpi_rma_pairsync_count', 'communication',
            'Unneeded Pair-wise Synchronisations', 'occurrences',
            'Those of them in whose epoch the one did not access the other.'
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
        ),
        (
            'computation', NULL, 'overhead', 'Computation', 'ns',
            'Useful time of the program itself.'
        ),
        (
            'overhead_data_movement', NULL, 'overhead', 'Data Movement', 'ns',
            'Time in moving data, within the process or between processes.'
        ),
        (
            'overhead_local_memory', 'overhead_data_movement', 'overhead', 'Local Memory', 'ns',
            'Time in copying and managing memory of the own process.'
        ),
        (
            'overhead_point_to_point', 'overhead_data_movement', 'overhead', 'Point-to-Point', 'ns',
            'Time in messages, and in waiting for them to complete.'
        ),
        (
            'overhead_collective', 'overhead_data_movement', 'overhead', 'Collective', 'ns',
            'Time in collective operations that move data.'
        ),
        (
            'overhead_put_get', 'overhead_data_movement', 'overhead', 'Put/Get', 'ns',
            'Time in one-sided access to memory of another process.'
        ),
        (
            'overhead_io', 'overhead_data_movement', 'overhead', 'I/O', 'ns',
            'Time in opening, reading, writing and closing files.'
        ),
        (
            'overhead_synchronisation', NULL, 'overhead', 'Synchronisation', 'ns',
            'Time in calls that only order what others do.'
        ),
        (
            'overhead_barrier', 'overhead_synchronisation', 'overhead', 'Barrier', 'ns',
            'Time in barriers, also implicit ones, and fences.'
        ),
        (
            'overhead_lock', 'overhead_synchronisation', 'overhead', 'Lock', 'ns',
            'Time in taking and giving back locks, and around critical sections.'
        ),
        (
            'overhead_wait', 'overhead_synchronisation', 'overhead', 'Wait', 'ns',
            'Time in calls that wait for tasks, threads or windows of others.'
        ),
        (
            'overhead_condition', 'overhead_synchronisation', 'overhead', 'Condition', 'ns',
            'Time in condition variables.'
        ),
        (
            'overhead_control_of_parallelism', NULL, 'overhead', 'Control of Parallelism', 'ns',
            'Time in starting, ending and steering what runs in parallel.'
        ),
        (
            'overhead_fork_join', 'overhead_control_of_parallelism', 'overhead', 'Fork/Join', 'ns',
            'Time from a fork until work begins, and from its end until the join.'
        ),
        (
            'overhead_scheduling', 'overhead_control_of_parallelism', 'overhead',
            'Scheduling', 'ns',
            'Time in handing out work, such as tasks and kernels.'
        ),
        (
            'overhead_process_thread_management', 'overhead_control_of_parallelism', 'overhead',
            'Process/Thread Management', 'ns',
            'Time in managing processes, threads, communicators, groups and types.'
        ),
        (
            'overhead_initialise_finalise', 'overhead_control_of_parallelism', 'overhead',
            'Initialise/Finalise', 'ns',
            'Time in starting and ending the runtime.'
        ),
        (
            'overhead_additional_computation', NULL, 'overhead', 'Additional Computation', 'ns',
            'Work of the parallel program that the sequential one does not do.'
        ),
        (
            'overhead_algorithm_change', 'overhead_additional_computation', 'overhead',
            'Algorithm Change', 'ns',
            'Work that the sequential algorithm does not do, by a rule of your own.'
        ),
        (
            'overhead_compiler_change', 'overhead_additional_computation', 'overhead',
            'Compiler Change', 'ns',
            'Work added by the compiler for parallel code, by a rule of your own.'
        ),
        (
            'overhead_loss_of_parallelism', NULL, 'overhead', 'Loss of Parallelism', 'ns',
            'Time in which not all could work, or all did the same.'
        ),
        (
            'overhead_unparallelised_code', 'overhead_loss_of_parallelism', 'overhead',
            'Unparallelised Code', 'ns',
            'Code that one process runs, by a rule of your own.'
        ),
        (
            'overhead_replicated_code', 'overhead_loss_of_parallelism', 'overhead',
            'Replicated Code', 'ns',
            'Code that all processes run alike, by a rule of your own.'
        ),
        (
            'overhead_partially_parallelised_code', 'overhead_loss_of_parallelism', 'overhead',
            'Partially Parallelised Code', 'ns',
            'Code that some processes run, by a rule of your own.'
        ),
        (
            'overhead_idle_threads', 'overhead_loss_of_parallelism', 'overhead',
            'Idle Threads', 'ns',
            'Time of threads of a team outside any region while their process runs.'
        ),
        (
            'overhead_unidentified', NULL, 'overhead', 'Unidentified', 'ns',
            'Time of which nobody knows what it was used for.'
        ),
        (
            'overhead_measurement', 'overhead_unidentified', 'overhead', 'Measurement', 'ns',
            'Time in the measurement itself, such as buffer flushes.'
        ),
        (
            'overhead_no_rule', 'overhead_unidentified', 'overhead', 'No Rule', 'ns',
            'Time in regions that no rule names.'
        ),
        (
            'overhead_outside_visits', 'overhead_unidentified', 'overhead', 'Outside Visits', 'ns',
            'Time outside any region, while the run lasts.'
        ),
        (
            'imbalance', NULL, 'imbalance', 'Computational Imbalance', 'ns',
            'How far computation in a call path is from its mean over locations.'
        ),
        (
            'imbalance_above', 'imbalance', 'imbalance', 'Overload', 'ns',
            'Computation in a call path above the mean.'
        ),
        (
            'imbalance_above_single', 'imbalance_above', 'imbalance', 'Single Participant', 'ns',
            'Overload of the only location that visits the call path.'
        ),
        (
            'imbalance_below', 'imbalance', 'imbalance', 'Underload', 'ns',
            'Computation in a call path missing to the mean.'
        ),
        (
            'imbalance_below_bypass', 'imbalance_below', 'imbalance', 'Non-Participation', 'ns',
            'Underload of locations that do not visit the call path.'
        ),
        (
            'imbalance_below_singularity', 'imbalance_below_bypass', 'imbalance',
            'Singularity', 'ns',
            'Non-participation in call paths that only one location visits.'
        ),
        (
            'idle', NULL, 'idle', 'Idle Time', 'ns',
            'Time of waiting, without work, or not there while the run lasts.'
        ),
        (
            'idle_waiting', 'idle', 'idle', 'Waiting', 'ns',
            'Time of all wait states; completing together is none.'
        ),
        (
            'idle_thread', 'idle', 'idle', 'Idle Workers', 'ns',
            'Time of threads of a team outside any region while their process runs.'
        ),
        (
            'idle_absent', 'idle', 'idle', 'Absent', 'ns',
            'Time before the first and after the last record while the run lasts.'
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
