"""Stages written in Python: what SQL cannot say well."""

from pipeline.graph import PythonStage

PYTHON_STAGES: tuple[PythonStage, ...] = ()
"""All of them. A kernel over tables, such as a critical path, is registered here: with the tables
it reads and makes, its modules, whose text is part of the tables' keys, and its parameters."""
