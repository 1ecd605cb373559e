"""Reports of runs and campaigns: sections, widgets, pictures and templates."""
