"""Patterns: queries that find lost time or other behavior, those of the catalog and your own.

All are declared and run the same way: a file of SQL whose header says what it finds.
"""
