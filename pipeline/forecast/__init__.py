"""Forecasts: how programs and traces would run on a described cluster."""
