"""The widgets of the W3C's patterns, written from the text of the patterns, each in two markups.

Markup `a` follows the usual elements. Markup `b` is drawn again on every change, or listens on an ancestor, or has
another focus model. A page holds its tasks as JSON and its truth as `model`.
"""

from apps.patterns.pattern import HALVES, PATTERNS, PatternPage, PatternTask
from apps.patterns.server import serving

__all__ = ["HALVES", "PATTERNS", "PatternPage", "PatternTask", "serving"]
