"""The terminal door. Each command is one file; none is imported before it is asked for."""
