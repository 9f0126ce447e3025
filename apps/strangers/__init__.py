"""Small applications as strangers write them: saves, rollbacks, wizards, lists, menus, editors, in several languages.

Each page holds its case as JSON: the steps, the truth, the answers of its server, and whether the last step must
succeed or fail. Cases with an odd number are for finding defects. Cases with an even number are only measured.
"""

from apps.strangers.case import CASES, HALVES, StrangerCase
from apps.strangers.server import Strangers, is_built, serving

__all__ = ["CASES", "HALVES", "StrangerCase", "Strangers", "is_built", "serving"]
