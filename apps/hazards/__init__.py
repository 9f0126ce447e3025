"""Pages on which tools fail, each with its own truth and the answers that a correct tool may give.

The pages know nothing of UIAP, except that some have its annotation attributes.
"""

from apps.hazards.catalogue import HAZARDS, Answer, Hazard
from apps.hazards.server import Server, serving

__all__ = ["HAZARDS", "Answer", "Hazard", "Server", "serving"]
