"""Programs whose truth is known: described, simulated event by event, written as OTF2 archives.

spec ─ phases ─ program ─ simulation ┬ archive
                                     └ waits ─ critical path ─ truth
"""
