"""Stages of campaigns written in Python: what is computed from many runs."""

from pipeline.graph import PythonStage
from pipeline.stages.campaign.efficiency_grid import EFFICIENCY_GRID_STAGE
from pipeline.stages.campaign.mark_rankings import MARK_RANKINGS_STAGE
from pipeline.stages.campaign.scalability import SCALABILITY_STAGE

CAMPAIGN_STAGES: tuple[PythonStage, ...] = (
    EFFICIENCY_GRID_STAGE,
    SCALABILITY_STAGE,
    MARK_RANKINGS_STAGE,
)
"""All of them."""
