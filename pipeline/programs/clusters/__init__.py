"""Clusters: their description, and their channels as arrays."""
