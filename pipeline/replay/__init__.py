"""Questions that are answered by running a trace again with other durations."""
