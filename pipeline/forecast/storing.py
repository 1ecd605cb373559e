"""Forecasts in the store; see tracemill.store.forecasts."""

from pathlib import Path

from tracemill.forecast.forecasting import Forecast
from tracemill.forecast.tables import tables_of
from tracemill.schemas.forecasts import FORECASTS
from tracemill.store.forecasts import publish, read


def store_forecast(store: Path, forecast: Forecast) -> Path:
    """Write the tables of a forecast to its folder, and return the folder.

    An earlier comparison with the full simulation stays. Raises StoreError.
    """
    name = f"forecast={forecast.forecast_id}"
    tables = tables_of(forecast)
    earlier = read(store, name, FORECASTS)
    if earlier is not None and forecast.full is None:
        compared = earlier["full_time_ns"].to_pylist()
        if [forecast.outcome.time_ns] == earlier["time_ns"].to_pylist() and any(compared):
            place = FORECASTS.column_names.index("full_time_ns")
            field = FORECASTS.arrow_schema.field(place)
            tables[FORECASTS] = tables[FORECASTS].set_column(place, field, [compared])
    return publish(store, name, tables)
