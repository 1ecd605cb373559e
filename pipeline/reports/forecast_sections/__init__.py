"""Sections of the report of a forecast."""
