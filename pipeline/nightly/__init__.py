"""Unattended nights over one store: new traces are analyzed, judged and reported."""
