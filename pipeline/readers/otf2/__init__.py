"""OTF2 archives, read by the official C library through compiled callbacks."""
