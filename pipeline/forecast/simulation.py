"""Simulates a placed program on a cluster."""
