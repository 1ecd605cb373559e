"""The kinds of phases: instructions of one iteration."""
