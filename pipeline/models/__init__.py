"""Numerics of campaigns: arrays in, arrays out; no tables and no files."""
