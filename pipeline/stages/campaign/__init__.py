"""Stages of campaigns written in Python: what is computed from many runs."""

from pipeline.graph import PythonStage

CAMPAIGN_STAGES: tuple[PythonStage, ...] = ()
"""All of them."""
