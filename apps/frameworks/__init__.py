"""The same to-do list and order form built with each framework from npm, in the idiom of each.

The sources are in web/frameworks. `make fixtures` builds them into .uiap/frameworks, which is never committed.
"""

from apps.frameworks.builds import FRAMEWORKS, ensure_built, missing_reason
from apps.frameworks.orders import ORDER_TASKS
from apps.frameworks.server import serving

__all__ = ["FRAMEWORKS", "ORDER_TASKS", "ensure_built", "missing_reason", "serving"]
