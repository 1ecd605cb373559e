"""Reading of any format: definitions, two passes over records, and tables."""
