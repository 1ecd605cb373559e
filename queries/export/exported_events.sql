-- The records of a run in the order of time, as rows of a trace in CSV.
--
-- The last columns put them in order where times are equal. Rows of a location depend on no other
-- one, so that some of the locations may be looked at alone.
--
-- Enters and leaves carry no position, other records do. The order of enters and leaves follows
-- from the tree of visits: a leave comes before the next enter of a visit that is no deeper. Then
-- every record is put where its position says, counted from the start of its location. What no
-- table holds (the program's begin and end, records that were not understood) is written as
-- `Other`, so that the positions of all others stay. Its own time is not known: it has that of the
-- next record with a position, or else of the location's last one; one that comes before all else
-- has the location's begin.
--
-- Grain:      one row per record, or further value of one
-- Inputs:     visits, call_paths, regions, locations, communicators, mpi_operations,
--             thread_events, thread_teams, lock_operations, rma_operations, rma_windows,
--             io_operations, io_handles, counter_values, counters, parameter_values, parameters,
--             record_attributes, attributes, samples, calling_contexts, measurement_gaps
-- Output:     exported events
-- Parameters: none
-- Assumes:    times of a location never run backwards, as the tables have them
WITH
    named_regions AS (
        SELECT
            region_id,
            if(
                count(*) OVER (PARTITION BY name) = 1
                AND regexp_full_match(name, '\S(.*\S)?'),
                name,
                trim(regexp_replace(name, '\s+', ' ', 'g')) || '#' || region_id
            ) AS label
        FROM regions
    ),

    mpi_names (kind, name) AS (
        VALUES
        ('send', 'MpiSend'),
        ('isend', 'MpiIsend'),
        ('isend_complete', 'MpiIsendComplete'),
        ('irecv_request', 'MpiIrecvRequest'),
        ('recv', 'MpiRecv'),
        ('irecv', 'MpiIrecv'),
        ('request_test', 'MpiRequestTest'),
        ('request_cancelled', 'MpiRequestCancelled'),
        ('collective', 'MpiCollectiveEnd'),
        ('nonblocking_collective_request', 'NonBlockingCollectiveRequest'),
        ('nonblocking_collective', 'NonBlockingCollectiveComplete'),
        ('probe', 'MpiProbe'),
        ('mrecv', 'MpiMrecv'),
        ('imrecv_request', 'MpiImrecvRequest'),
        ('imrecv', 'MpiImrecv'),
        ('communicator_create', 'CommCreate'),
        ('communicator_destroy', 'CommDestroy')
    ),

    thread_names (kind, name) AS (
        VALUES
        ('fork', 'ThreadFork'),
        ('join', 'ThreadJoin'),
        ('team_begin', 'ThreadTeamBegin'),
        ('team_end', 'ThreadTeamEnd'),
        ('create', 'ThreadCreate'),
        ('begin', 'ThreadBegin'),
        ('wait', 'ThreadWait'),
        ('end', 'ThreadEnd'),
        ('task_create', 'ThreadTaskCreate'),
        ('task_switch', 'ThreadTaskSwitch'),
        ('task_complete', 'ThreadTaskComplete')
    ),

    rma_names (kind, name) AS (
        VALUES
        ('window_create', 'RmaWinCreate'),
        ('window_destroy', 'RmaWinDestroy'),
        ('collective', 'RmaCollectiveEnd'),
        ('group_sync', 'RmaGroupSync'),
        ('request_lock', 'RmaRequestLock'),
        ('acquire_lock', 'RmaAcquireLock'),
        ('try_lock', 'RmaTryLock'),
        ('release_lock', 'RmaReleaseLock'),
        ('sync', 'RmaSync'),
        ('wait_change', 'RmaWaitChange'),
        ('put', 'RmaPut'),
        ('get', 'RmaGet'),
        ('atomic', 'RmaAtomic'),
        ('complete_blocking', 'RmaOpCompleteBlocking'),
        ('complete_nonblocking', 'RmaOpCompleteNonBlocking'),
        ('test', 'RmaOpTest'),
        ('complete_remote', 'RmaOpCompleteRemote')
    ),

    io_names (kind, name) AS (
        VALUES
        ('create_handle', 'IoCreateHandle'),
        ('destroy_handle', 'IoDestroyHandle'),
        ('duplicate_handle', 'IoDuplicateHandle'),
        ('seek', 'IoSeek'),
        ('change_status', 'IoChangeStatusFlags'),
        ('delete_file', 'IoDeleteFile'),
        ('operation_begin', 'IoOperationBegin'),
        ('operation_test', 'IoOperationTest'),
        ('operation_issued', 'IoOperationIssued'),
        ('operation_complete', 'IoOperationComplete'),
        ('operation_cancelled', 'IoOperationCancelled'),
        ('acquire_lock', 'IoAcquireLock'),
        ('release_lock', 'IoReleaseLock'),
        ('try_lock', 'IoTryLock')
    ),

    -- --- Enters and leaves ---------------------------------------------------------------------
    entered AS (
        SELECT
            visits.location_id,
            visits.visit_id,
            visits.region_id,
            visits.enter_ns,
            visits.leave_ns,
            visits.is_closed,
            call_paths.depth,
            row_number() OVER (PARTITION BY visits.location_id ORDER BY visits.visit_id) - 1
                AS enters_before
        FROM visits
        INNER JOIN call_paths ON visits.call_path_id = call_paths.call_path_id
    ),

    enter_moments AS (
        SELECT location_id, enter_ns, max(enters_before) + 1 AS enters_until
        FROM entered
        GROUP BY location_id, enter_ns
    ),

    -- A visit entered when another is left comes after that leave unless it is deeper.
    followers AS (
        SELECT ended.visit_id, min(begun.enters_before) AS enters_before
        FROM entered AS ended
        INNER JOIN entered AS begun
            ON
                ended.location_id = begun.location_id
                AND ended.leave_ns = begun.enter_ns
                AND ended.visit_id < begun.visit_id
                AND ended.depth >= begun.depth
        GROUP BY ended.visit_id
    ),

    left_visits AS (
        SELECT
            entered.location_id,
            entered.visit_id,
            entered.region_id,
            entered.leave_ns,
            least(enter_moments.enters_until, followers.enters_before) AS enters_before
        FROM entered
        ASOF LEFT JOIN enter_moments
            ON
                entered.location_id = enter_moments.location_id
                AND entered.leave_ns >= enter_moments.enter_ns
        LEFT JOIN followers ON entered.visit_id = followers.visit_id
        WHERE entered.is_closed
    ),

    begun_collectives AS (
        SELECT location_id, visit_id, begin_ns, 'MpiCollectiveBegin' AS name
        FROM mpi_operations
        WHERE begin_ns IS NOT NULL
        UNION ALL
        SELECT location_id, visit_id, begin_ns, 'RmaCollectiveBegin'
        FROM rma_operations
        WHERE begin_ns IS NOT NULL
    ),

    -- Records without a position: enters, leaves, begins of collectives, ends of pauses. Among
    -- those with the same number of enters before them, leaves and the like precede the enter.
    unnumbered AS (
        SELECT
            entered.location_id,
            entered.enter_ns AS time_ns,
            'Enter' AS event_type,
            named_regions.label AS name,
            entered.visit_id,
            entered.enters_before,
            1 AS is_enter,
            0 AS is_leave,
            NULL::VARCHAR AS value
        FROM entered
        INNER JOIN named_regions ON entered.region_id = named_regions.region_id
        UNION ALL
        SELECT
            left_visits.location_id, left_visits.leave_ns, 'Leave', named_regions.label,
            left_visits.visit_id, left_visits.enters_before, 0, 1, NULL
        FROM left_visits
        INNER JOIN named_regions ON left_visits.region_id = named_regions.region_id
        UNION ALL
        SELECT
            begun_collectives.location_id, begun_collectives.begin_ns, 'Instant',
            begun_collectives.name, NULL,
            greatest(entered.enters_before + 1, enter_moments.enters_until), 0, 0, NULL
        FROM begun_collectives
        ASOF LEFT JOIN enter_moments
            ON
                begun_collectives.location_id = enter_moments.location_id
                AND begun_collectives.begin_ns > enter_moments.enter_ns
        LEFT JOIN entered ON begun_collectives.visit_id = entered.visit_id
        UNION ALL
        SELECT
            measurement_gaps.location_id, measurement_gaps.end_ns, 'Instant',
            'MeasurementOnOff', NULL, coalesce(enter_moments.enters_until, 0), 0, 0, '1'
        FROM measurement_gaps
        INNER JOIN locations ON measurement_gaps.location_id = locations.location_id
        ASOF LEFT JOIN enter_moments
            ON
                measurement_gaps.location_id = enter_moments.location_id
                AND measurement_gaps.end_ns > enter_moments.enter_ns
        WHERE
            measurement_gaps.kind = 'measurement_off'
            AND measurement_gaps.end_ns < locations.end_ns
    ),

    first_times AS (
        SELECT location_id, min(time_ns) AS time_ns
        FROM (
            SELECT location_id, time_ns FROM unnumbered
            UNION ALL
            SELECT location_id, time_ns FROM mpi_operations
            UNION ALL
            SELECT location_id, time_ns FROM thread_events
            UNION ALL
            SELECT location_id, time_ns FROM counter_values
            UNION ALL
            SELECT location_id, begin_ns FROM measurement_gaps
        )
        GROUP BY location_id
    ),

    -- What a location begins with is in no table if it comes before all else.
    opened AS (
        SELECT * FROM unnumbered
        UNION ALL
        SELECT
            locations.location_id, locations.begin_ns, 'Instant', 'Other', NULL, -1, 0, 0, NULL
        FROM locations
        LEFT JOIN first_times ON locations.location_id = first_times.location_id
        WHERE locations.begin_ns < coalesce(first_times.time_ns, locations.end_ns + 1)
    ),

    placed AS (
        SELECT
            *,
            row_number() OVER (
                PARTITION BY location_id
                ORDER BY enters_before, is_enter, time_ns, is_leave, visit_id DESC
            ) - 1 AS place
        FROM opened
    ),

    -- --- Records with a position -----------------------------------------------------------------
    numbered AS (
        SELECT
            mpi_operations.location_id,
            mpi_operations.sequence,
            mpi_operations.time_ns,
            mpi_operations.visit_id,
            mpi_names.name,
            mpi_operations.peer_rank AS partner,
            mpi_operations.tag,
            CASE
                WHEN communicators.source_ref IS NOT NULL THEN communicators.source_ref
                WHEN
                    mpi_operations.peer_rank IS NOT NULL
                    OR mpi_operations.operation IS NOT NULL
                    OR mpi_operations.kind IN ('communicator_create', 'communicator_destroy')
                    THEN 4294967295
            END AS communicator,
            mpi_operations.bytes,
            mpi_operations.bytes_received,
            mpi_operations.operation::VARCHAR AS operation,
            mpi_operations.root_rank AS root,
            mpi_operations.request_id AS request,
            mpi_operations.probe_id AS probe,
            NULL::BIGINT AS number,
            NULL::BIGINT AS task_thread,
            NULL::BIGINT AS lock,
            NULL::BIGINT AS acquisition_order,
            NULL::VARCHAR AS paradigm,
            NULL::BIGINT AS rma_window,
            NULL::BIGINT AS handle,
            NULL::VARCHAR AS mode,
            NULL::BIGINT AS detail,
            NULL::BIGINT AS variable,
            NULL::VARCHAR AS value
        FROM mpi_operations
        INNER JOIN mpi_names ON mpi_operations.kind = mpi_names.kind
        LEFT JOIN communicators ON mpi_operations.communicator_id = communicators.communicator_id
        UNION ALL BY NAME
        SELECT
            events.location_id,
            events.sequence,
            events.time_ns,
            events.visit_id,
            CASE
                WHEN events.kind = 'fork' AND events.is_without_teams THEN 'OmpFork'
                WHEN events.kind = 'join' AND events.is_without_teams THEN 'OmpJoin'
                WHEN thread_names.name LIKE 'ThreadTask%' AND events.thread IS NULL
                    THEN replace(thread_names.name, 'Thread', 'Omp')
                ELSE thread_names.name
            END AS name,
            CASE
                WHEN communicators.source_ref IS NOT NULL THEN communicators.source_ref
                WHEN
                    events.kind NOT IN ('fork', 'join')
                    AND (events.thread IS NOT NULL OR thread_names.name NOT LIKE '%Task%')
                    THEN 4294967295
            END AS communicator,
            events.number,
            events.thread AS task_thread
        FROM (
            SELECT
                *,
                NOT EXISTS (FROM thread_teams WHERE communicator_id IS NOT NULL)
                    AS is_without_teams
            FROM thread_events
        ) AS events
        INNER JOIN thread_names ON events.kind = thread_names.kind
        LEFT JOIN communicators ON events.communicator_id = communicators.communicator_id
        UNION ALL BY NAME
        SELECT
            location_id,
            sequence,
            time_ns,
            visit_id,
            if(kind = 'acquire', 'ThreadAcquireLock', 'ThreadReleaseLock') AS name,
            paradigm::VARCHAR AS paradigm,
            lock_id AS lock,
            acquisition_order
        FROM lock_operations
        UNION ALL BY NAME
        SELECT
            rma_operations.location_id,
            rma_operations.sequence,
            rma_operations.time_ns,
            rma_operations.visit_id,
            rma_names.name,
            rma_operations.remote_rank AS partner,
            rma_windows.source_ref AS rma_window,
            rma_operations.bytes,
            rma_operations.bytes_received,
            rma_operations.operation::VARCHAR AS operation,
            rma_operations.matching_id AS request,
            rma_operations.detail
        FROM rma_operations
        INNER JOIN rma_names ON rma_operations.kind = rma_names.kind
        LEFT JOIN rma_windows ON rma_operations.rma_window_id = rma_windows.rma_window_id
        UNION ALL BY NAME
        SELECT
            io_operations.location_id,
            io_operations.sequence,
            io_operations.time_ns,
            io_operations.visit_id,
            io_names.name,
            io_handles.source_ref AS handle,
            io_operations.mode::VARCHAR AS mode,
            io_operations.bytes,
            io_operations.matching_id AS request,
            io_operations.detail
        FROM io_operations
        INNER JOIN io_names ON io_operations.kind = io_names.kind
        LEFT JOIN io_handles ON io_operations.io_handle_id = io_handles.io_handle_id
        UNION ALL BY NAME
        SELECT
            counter_values.location_id,
            counter_values.sequence,
            counter_values.time_ns,
            counter_values.visit_id,
            'Counter' AS name,
            counters.source_ref AS variable,
            coalesce(counter_values.value_integer::VARCHAR, counter_values.value_float::VARCHAR)
                AS value
        FROM counter_values
        INNER JOIN counters ON counter_values.counter_id = counters.counter_id
        UNION ALL BY NAME
        SELECT
            parameter_values.location_id,
            parameter_values.sequence,
            parameter_values.time_ns,
            parameter_values.visit_id,
            CASE
                WHEN parameter_values.value_text IS NOT NULL THEN 'ParameterString'
                WHEN parameters.kind = 'uint64' THEN 'ParameterUnsignedInt'
                ELSE 'ParameterInt'
            END AS name,
            coalesce(parameters.source_ref, 4294967295) AS variable,
            coalesce(parameter_values.value_integer::VARCHAR, parameter_values.value_text) AS value
        FROM parameter_values
        LEFT JOIN parameters ON parameter_values.parameter_id = parameters.parameter_id
        UNION ALL BY NAME
        SELECT
            samples.location_id,
            samples.sequence,
            samples.time_ns,
            samples.visit_id,
            'CallingContextSample' AS name,
            coalesce(calling_contexts.source_ref, 4294967295) AS variable,
            '0' AS value
        FROM samples
        LEFT JOIN calling_contexts
            ON samples.calling_context_id = calling_contexts.calling_context_id
        UNION ALL BY NAME
        SELECT
            location_id,
            sequence,
            begin_ns AS time_ns,
            if(kind = 'buffer_flush', 'BufferFlush', 'MeasurementOnOff') AS name,
            if(kind = 'buffer_flush', end_ns::VARCHAR, '2') AS value
        FROM measurement_gaps
    ),

    -- Several values of a record share its position.
    ranked AS (
        SELECT
            *,
            row_number() OVER (PARTITION BY location_id, sequence ORDER BY variable) AS value_rank,
            dense_rank() OVER (PARTITION BY location_id ORDER BY sequence) - 1 AS records_before
        FROM numbered
    ),

    moments AS (
        SELECT location_id, time_ns, max(place) + 1 AS places_until
        FROM placed
        GROUP BY location_id, time_ns
    ),

    ends AS (
        SELECT visit_id, place FROM placed WHERE event_type = 'Leave'
    ),

    -- How many unnumbered records can come before at most: those until its time, and within its
    -- visit.
    bounded AS (
        SELECT
            ranked.*,
            least(coalesce(moments.places_until, 0), ends.place) AS most_places
        FROM ranked
        ASOF LEFT JOIN moments
            ON ranked.location_id = moments.location_id AND ranked.time_ns >= moments.time_ns
        LEFT JOIN ends ON ranked.visit_id = ends.visit_id
    ),

    -- Positions beyond that belong to records that no table holds.
    shifted AS (
        SELECT
            *,
            greatest(
                0,
                max(sequence - records_before - most_places) OVER (
                    PARTITION BY location_id ORDER BY sequence
                    RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
                )
            ) AS others_before
        FROM bounded
    ),

    settled AS (
        SELECT
            *,
            sequence - records_before - others_before AS places_before,
            lag(others_before, 1, 0) OVER (PARTITION BY location_id ORDER BY sequence, value_rank)
                AS others_known
        FROM shifted
    ),

    counted_places AS (
        SELECT location_id, count(*) AS count FROM placed GROUP BY location_id
    ),

    counted_records AS (
        SELECT location_id, count(DISTINCT sequence) + max(others_before) AS count
        FROM settled
        GROUP BY location_id
    ),

    others AS (
        SELECT location_id, sequence, time_ns, places_before, others_before - others_known AS count
        FROM settled
        WHERE others_before > others_known
        UNION ALL
        SELECT
            locations.location_id,
            9223372036854775807,
            locations.end_ns,
            9223372036854775807,
            locations.record_count
            - coalesce(counted_places.count, 0)
            - coalesce(counted_records.count, 0)
        FROM locations
        LEFT JOIN counted_places ON locations.location_id = counted_places.location_id
        LEFT JOIN counted_records ON locations.location_id = counted_records.location_id
    ),

    repeated_others AS (
        SELECT *, unnest(range(count)) AS repetition FROM others WHERE count > 0
    ),

    owned_values AS (
        SELECT
            record_attributes.location_id,
            record_attributes.sequence,
            record_attributes.time_ns,
            attributes.source_ref AS variable,
            if(record_attributes.value_text IS NULL, 'Attribute', 'AttributeText') AS name,
            coalesce(
                record_attributes.value_integer::VARCHAR,
                record_attributes.value_float::VARCHAR,
                record_attributes.value_text
            ) AS value
        FROM record_attributes
        INNER JOIN attributes ON record_attributes.attribute_id = attributes.attribute_id
    ),

    -- --- All in order ----------------------------------------------------------------------------
    -- A record comes before the unnumbered one that has as many of those before it.
    all_records AS (
        SELECT
            location_id,
            time_ns,
            event_type,
            name,
            value,
            place,
            1 AS is_unnumbered,
            0 AS sequence,
            0 AS value_rank
        FROM placed
        UNION ALL BY NAME
        SELECT
            * EXCLUDE (
                visit_id, records_before, most_places, others_before, others_known, places_before
            ),
            places_before AS place,
            if(value_rank = 1, 'Instant', 'More') AS event_type,
            0 AS is_unnumbered
        FROM settled
        UNION ALL BY NAME
        SELECT
            location_id,
            time_ns,
            'Instant' AS event_type,
            'Other' AS name,
            places_before AS place,
            0 AS is_unnumbered,
            sequence,
            0 AS value_rank
        FROM repeated_others
    ),

    positioned AS (
        SELECT
            * EXCLUDE (place, is_unnumbered, sequence),
            sum(if(event_type = 'More', 0, 1)) OVER (
                PARTITION BY location_id
                ORDER BY place, is_unnumbered, sequence, value_rank
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) - 1 AS position
        FROM all_records
    ),

    whole AS (
        SELECT * FROM positioned
        UNION ALL BY NAME
        SELECT
            location_id,
            time_ns,
            'More' AS event_type,
            name,
            variable,
            value,
            sequence AS position,
            1000 AS value_rank
        FROM owned_values
    )

SELECT
    whole.time_ns,
    whole.event_type,
    whole.name,
    locations.location_group_id AS process,
    locations.thread,
    whole.partner,
    whole.tag,
    whole.communicator,
    whole.bytes,
    whole.bytes_received AS received_bytes,
    whole.operation,
    whole.root,
    whole.request,
    whole.probe,
    whole.number,
    whole.task_thread,
    whole.lock,
    whole.acquisition_order,
    whole.paradigm,
    whole.rma_window,
    whole.handle,
    whole.mode,
    whole.detail,
    whole.variable,
    whole.value,
    whole.location_id,
    whole.position,
    whole.value_rank
FROM whole
INNER JOIN locations ON whole.location_id = locations.location_id
ORDER BY whole.time_ns, whole.location_id, whole.position, whole.value_rank, whole.variable
