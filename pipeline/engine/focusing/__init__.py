"""The focus of an analysis: chosen intervals of locations, and a run's tables within them."""
