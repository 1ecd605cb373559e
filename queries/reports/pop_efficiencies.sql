-- Efficiencies of the run as POP defines them, in three conventions.
--
-- Grain:      one row per interval and efficiency
-- Inputs:     efficiencies
-- Output:     report section efficiencies
-- Parameters: none
-- Assumes:    nothing
SELECT
    interval,
    metric,
    efficiency,
    max(value) FILTER (WHERE convention = 'multiplicative') AS multiplicative_ratio,
    max(value) FILTER (WHERE convention = 'basic analysis') AS basic_analysis_ratio,
    max(value) FILTER (WHERE convention = 'additive') AS additive_ratio
FROM efficiencies
GROUP BY interval, metric, efficiency, place
ORDER BY interval, place
