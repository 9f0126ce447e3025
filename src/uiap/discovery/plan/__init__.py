"""The plan of a run: its bounds, its seeds, its addresses and its authorisation."""
