"""What reading has in common whatever the format: definitions, two passes, and tables."""
