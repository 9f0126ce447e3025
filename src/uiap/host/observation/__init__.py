"""Observation of a page: its graph, its requests, its effects, and when it is idle."""
