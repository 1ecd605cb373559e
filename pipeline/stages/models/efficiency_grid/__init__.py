"""Growth of a program's efficiency over processes and problem size (Teplov 2014)."""
