"""Forecasts of recorded runs: the calls of each process on a described cluster."""
