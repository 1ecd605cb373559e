"""The language of described programs: processes, or data on a grid of processes.

fields ┬ process kinds ───────────────────────────────┐
       └ data kinds ─ placing ─ checks ─ data program ┴ reading
"""
