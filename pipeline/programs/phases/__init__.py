"""What each kind of phase does in one iteration, as instructions."""
