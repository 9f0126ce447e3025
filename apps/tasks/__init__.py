"""Small web tasks, each one page with its own truth, for runs without a model. Plain data: any tool can be measured.

A page holds its task as JSON: what is asked, how a goal is drawn from a seed, and the steps of an agent that knows
what to do. `solved()` in the page says whether it was done.
"""

from apps.tasks.server import serving
from apps.tasks.task import TASKS, Step, Task

__all__ = ["TASKS", "Step", "Task", "serving"]
