"""Reader of traces in CSV, and of call graphs in text or Parquet."""
