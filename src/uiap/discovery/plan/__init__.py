"""The plan of a run: its bounds, its seeds, its allowed origins and its authorisation."""
