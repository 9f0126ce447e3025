"""UIAP, the UI Agent Protocol: agents act on real user interfaces, and success is what was observed.

This module holds the public names and nothing else.
"""

__version__ = "0.1.0.dev0"
