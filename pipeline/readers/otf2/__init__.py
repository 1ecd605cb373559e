"""OTF2 archives, read by a decoder of our own; by the official C library on request."""
