"""Unattended nights over one store: what is new is analysed, judged against the past, and told."""
