"""Stages of campaigns written in Python: what is computed from many runs."""

from tracemill.stages.campaign.call_path_models import CALL_PATH_MODELS_STAGE
from tracemill.stages.campaign.call_site_ranking import CALL_SITE_RANKING_STAGE, CAUSE_RANKING_STAGE
from tracemill.stages.campaign.configuration_overheads import CONFIGURATION_OVERHEADS_STAGE
from tracemill.stages.campaign.efficiency_grid import EFFICIENCY_GRID_STAGE
from tracemill.stages.campaign.grid_correlations import GRID_CORRELATIONS_STAGE
from tracemill.stages.campaign.growth import CALL_PATH_GROWTH_STAGE, METRIC_GROWTH_STAGE
from tracemill.stages.campaign.mark_rankings import MARK_RANKINGS_STAGE
from tracemill.stages.campaign.scalability import SCALABILITY_STAGE
from tracemill.stages.campaign.surfaces import SURFACES_STAGE
from tracemill.stages.stage import PythonStage

CAMPAIGN_STAGES: tuple[PythonStage, ...] = (
    CALL_PATH_GROWTH_STAGE,
    CALL_PATH_MODELS_STAGE,
    CALL_SITE_RANKING_STAGE,
    CAUSE_RANKING_STAGE,
    CONFIGURATION_OVERHEADS_STAGE,
    EFFICIENCY_GRID_STAGE,
    GRID_CORRELATIONS_STAGE,
    MARK_RANKINGS_STAGE,
    METRIC_GROWTH_STAGE,
    SCALABILITY_STAGE,
    SURFACES_STAGE,
)
"""All of them."""
