"""Small web tasks for runs without a model, each one page with its own truth. Any tool can be measured with them.

A page holds its task as JSON: the instruction, how a goal is drawn from a seed, and the steps of an agent that
knows the solution. `solved()` in the page returns whether the task is done.
"""

from apps.tasks.server import serving
from apps.tasks.task import FILES, TASKS, Step, Task

__all__ = ["FILES", "TASKS", "Step", "Task", "serving"]
