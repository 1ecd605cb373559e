"""The store: the only place that reads and writes Parquet files of runs.

<store>/runs/run=<run_id>/gen=<key>/<table>.parquet         one file per table, or
<store>/runs/run=<run_id>/gen=<key>/<table>/part-<n>.parquet  one per block of locations
<store>/runs/run=<run_id>/gen=<key>/manifest.json           how the tables came to be
<store>/runs/run=<run_id>/current.json                      which generation is current
<store>/campaigns/campaign=<name>/…                         the same for a set of runs
<store>/forecasts/<kind>=<id>/<table>.parquet               forecasts
"""
