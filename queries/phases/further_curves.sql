-- Curves besides activities that phases are found from: bytes sent and counters, on request.
--
-- Bin b begins at begin + b * length // bins, in whole nanoseconds. The values of counters are
-- spread evenly over the bins of their profile.
--
-- Grain:      one row per curve and bin of the main part with a value
-- Inputs:     main_part, messages, unmatched_messages, counter_profile, counters
-- Output:     further_curves
-- Parameters: $phase_bins    number of bins of the main part (BIGINT, default 200)
--             $phase_curves  names of curves, separated by commas (VARCHAR, default '')
-- Source:     Miller et al. 1990 (IPS-2), phase behavior: metrics over time
-- Assumes:    nothing
WITH
    wanted AS (
        SELECT trim(unnest(string_split($phase_curves::VARCHAR, ','))) AS curve
    ),

    sends AS (
        SELECT send_ns AS time_ns, bytes FROM messages
        UNION ALL
        SELECT time_ns, bytes FROM unmatched_messages WHERE side = 'send'
    ),

    sent AS (
        SELECT
            wanted.curve,
            (
                ((sends.time_ns - main_part.begin_ns + 1) * $phase_bins::BIGINT - 1)
                // (main_part.end_ns - main_part.begin_ns)
            )::INTEGER AS bin,
            sum(sends.bytes)::DOUBLE AS value
        FROM sends
        CROSS JOIN main_part
        INNER JOIN wanted ON wanted.curve = 'bytes_sent'
        WHERE sends.time_ns >= main_part.begin_ns AND sends.time_ns < main_part.end_ns
        GROUP BY ALL
    ),

    bins AS (
        SELECT
            range::INTEGER AS bin,
            begin_ns + (end_ns - begin_ns) * range // $phase_bins::BIGINT AS begin_ns,
            begin_ns + (end_ns - begin_ns) * (range + 1) // $phase_bins::BIGINT AS end_ns
        FROM range($phase_bins::BIGINT)
        CROSS JOIN main_part
    ),

    shares AS (
        SELECT
            counters.name AS curve,
            bins.bin,
            counter_profile.value,
            counter_profile.method = 'mean' AS is_mean,
            least(counter_profile.end_ns, bins.end_ns)
            - greatest(counter_profile.begin_ns, bins.begin_ns) AS common_ns,
            counter_profile.end_ns - counter_profile.begin_ns AS profile_ns,
            bins.end_ns - bins.begin_ns AS bin_ns
        FROM wanted
        INNER JOIN counters ON wanted.curve = counters.name
        INNER JOIN counter_profile USING (counter_id)
        INNER JOIN bins
            ON
                bins.begin_ns < counter_profile.end_ns
                AND bins.end_ns > counter_profile.begin_ns
    )

SELECT curve, bin, value FROM sent
UNION ALL
SELECT
    curve,
    bin,
    sum(value * common_ns / if(is_mean, bin_ns, profile_ns)) AS value
FROM shares
GROUP BY curve, bin
