-- Phases of the main part at one level of detail.
--
-- Grain:      one row per phase
-- Inputs:     phases
-- Output:     report section phases
-- Parameters: $row_limit  maximum number of phases, earliest first (BIGINT)
SELECT
    phase,
    kind,
    begin_ns,
    end_ns,
    end_ns - begin_ns AS phase_ns,
    strength,
    computing_ratio,
    blocked_ratio,
    communicating_ratio,
    synchronizing_ratio,
    io_ratio,
    create_destroy_ratio,
    idle_ratio,
    unknown_ratio
FROM phases
WHERE threshold = 0.25
ORDER BY phase
LIMIT $row_limit::BIGINT
