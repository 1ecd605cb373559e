"""SQL on the tables of runs and campaigns: one query, a script, or a prompt."""
