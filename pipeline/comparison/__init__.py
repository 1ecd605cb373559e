"""Compares two runs, or two sets of repetitions, and separates changes from noise."""
