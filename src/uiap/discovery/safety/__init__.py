"""Safety of a run: the side effect of an action, the redaction of private values, and sample data."""
