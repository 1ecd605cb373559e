"""Patterns: queries that find lost time or other behavior, shipped ones and the user's."""
