"""The compiled part of the generator: the simulated machine and users of its events."""
