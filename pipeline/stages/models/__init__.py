"""Numerics of campaigns: arrays in, arrays or frozen records out; no tables, no files."""
