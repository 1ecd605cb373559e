"""Described programs: simulated event by event, and written as OTF2 archives with true results.

spec ─ phases ─ program ─ simulation ┬ archive
                                     └ waits ─ critical path ─ truth
"""
