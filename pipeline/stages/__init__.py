"""Stages written in Python: what SQL cannot say well."""

from pipeline.graph import PythonStage

PYTHON_STAGES: tuple[PythonStage, ...] = ()
