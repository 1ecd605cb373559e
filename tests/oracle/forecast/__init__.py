"""Slow and obvious simulation of programs on a grid of processes on a described cluster."""

from tests.oracle.forecast.scripts import Simulated, simulate

__all__ = ["Simulated", "simulate"]
