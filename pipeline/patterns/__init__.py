"""Patterns: queries that find lost time or other behaviour, those of the catalogue and your own.

All are declared and run the same way: a file of SQL whose header says what it finds.
"""
