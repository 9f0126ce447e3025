"""Pages generated from a grammar, half of which must succeed, with a truth that is known by construction.

A shape is a control, a behaviour of a framework, a carrier of the effect, an end, a disguise, a delay and noise.
"""

from apps.grammar.cases import Case, Truth, cases, cases_by_id
from apps.grammar.design import design
from apps.grammar.dimensions import DIMENSIONS, Shape
from apps.grammar.server import Server, serving

__all__ = [
    "DIMENSIONS",
    "Case",
    "Server",
    "Shape",
    "Truth",
    "cases",
    "cases_by_id",
    "design",
    "serving",
]
