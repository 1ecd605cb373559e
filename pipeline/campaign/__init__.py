"""Campaigns: many runs of a program, from traces or tables of measurements, as one source."""
