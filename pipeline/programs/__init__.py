"""Described programs: simulated event by event, and written as OTF2 archives with true results.

language ─ phases ─ program ─ simulation ┬ archive
                                         └ waits ─ critical path ─ truth
"""
