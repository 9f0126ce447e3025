"""The report of a run: one HTML page with the transition graph."""
