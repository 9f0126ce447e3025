"""The tasks of `python -m bench agent`, and the tools that do them."""
