"""The channels of a cluster: when a transfer gets one, and when it ends."""
