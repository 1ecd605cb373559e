"""Traces as comma-separated text, or as call graphs in text or Parquet."""
