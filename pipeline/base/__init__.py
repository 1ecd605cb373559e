"""Errors, console, text and files. These modules import nothing else of Tracemill."""
