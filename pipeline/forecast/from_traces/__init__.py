"""Described programs made from analyzed runs and campaigns.

recording → merging → iterations → (grids, fitting) → phases → text; making joins them.
"""
