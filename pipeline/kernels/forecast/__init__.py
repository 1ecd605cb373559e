"""The simulation core of forecasts: processes compute, start operations and wait for them."""
