"""Pages on which tools go wrong, each with the truth about itself and what an honest tool must answer.

They know nothing of UIAP but, here and there, its annotation attributes.
"""

from apps.hazards.catalogue import HAZARDS, Answer, Hazard
from apps.hazards.server import Server, serving

__all__ = ["HAZARDS", "Answer", "Hazard", "Server", "serving"]
