"""All tables of the store, each declared once. This package does not read or write data."""

from tracemill.schemas import (
    call_sites,
    campaign_costs,
    campaign_efficiencies,
    campaigns,
    causes,
    cell_call_sites,
    clocks,
    collectives,
    communicators,
    configuration_overheads,
    counters,
    critical_path,
    definitions,
    delays,
    events,
    forecast_runs,
    forecast_search,
    forecasts,
    growth,
    history,
    imbalance,
    input_output,
    iterations,
    levels,
    main_part,
    master_worker,
    matching,
    metrics,
    named_values,
    one_sided,
    overheads,
    parallelism,
    path_changes,
    patterns,
    perturbation,
    phases,
    pop,
    profiles,
    questions,
    rankings,
    replay,
    scalability,
    surface_scaling,
    surfaces,
    threads,
    time_profile,
    timeline,
    wait_states,
)
from tracemill.schemas.table import Column, Rule, Table, Violation

TABLES: tuple[Table, ...] = (
    *definitions.TABLES,
    *communicators.TABLES,
    *named_values.TABLES,
    *events.TABLES,
    *matching.TABLES,
    *collectives.TABLES,
    *clocks.TABLES,
    *input_output.TABLES,
    *profiles.TABLES,
    *threads.TABLES,
    *one_sided.TABLES,
    *wait_states.TABLES,
    *master_worker.TABLES,
    *patterns.TABLES,
    *metrics.TABLES,
    *overheads.TABLES,
    *parallelism.TABLES,
    *time_profile.TABLES,
    *timeline.TABLES,
    *imbalance.TABLES,
    *critical_path.TABLES,
    *delays.TABLES,
    *main_part.TABLES,
    *counters.TABLES,
    *iterations.TABLES,
    *phases.TABLES,
    *perturbation.TABLES,
    *replay.TABLES,
    *pop.TABLES,
)
"""Tables of a run."""
CAMPAIGN_TABLES: tuple[Table, ...] = (
    *campaigns.TABLES,
    *campaign_costs.TABLES,
    *campaign_efficiencies.TABLES,
    metrics.METRICS,  # names of the metrics that runs were gathered by
    *scalability.TABLES,
    *rankings.TABLES,
    *call_sites.TABLES,
    *causes.TABLES,
    *growth.TABLES,
    *path_changes.TABLES,
    *cell_call_sites.TABLES,
    *configuration_overheads.TABLES,
    *surfaces.TABLES,
    *surface_scaling.TABLES,
)
"""Tables of a campaign, computed from many runs."""
NIGHTLY_TABLES: tuple[Table, ...] = history.TABLES
"""Tables that nightly runs keep for a store."""
FORECAST_TABLES: tuple[Table, ...] = (
    *forecasts.TABLES,
    *forecast_runs.TABLES,
    *forecast_search.TABLES,
)
"""Tables of forecasts, which a store keeps beside its runs."""
VIEWS: tuple[Table, ...] = (
    *questions.VIEWS, *metrics.VIEWS, *main_part.VIEWS, *levels.VIEWS, *perturbation.VIEWS,
    *pop.VIEWS, *counters.VIEWS, *profiles.VIEWS,
)  # fmt: skip
"""Views on the tables of a run; DuckDB computes them at each use."""
BY_NAME: dict[str, Table] = {
    table.name: table
    for table in (*TABLES, *CAMPAIGN_TABLES, *NIGHTLY_TABLES, *FORECAST_TABLES, *VIEWS)
}

__all__ = [
    "BY_NAME",
    "CAMPAIGN_TABLES",
    "FORECAST_TABLES",
    "NIGHTLY_TABLES",
    "TABLES",
    "VIEWS",
    "Column",
    "Rule",
    "Table",
    "Violation",
]
