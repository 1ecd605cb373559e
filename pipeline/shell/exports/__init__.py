"""Exports of severities and tables, and traces for Perfetto."""
