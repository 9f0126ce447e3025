"""Safety of a run: risk of an action, private values, and sample data."""
