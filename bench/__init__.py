"""Benchmarks: ratios to a floor or a real peer, measured in one run. `python -m bench [case]`."""
