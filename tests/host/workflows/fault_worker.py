"""`python -m tests.host.workflows.fault_worker ARGUMENTS…`: `uiap worker`, which notices a lost worker after 5 s.

SIGUSR1 writes the stacks of all threads and tasks to the standard error, to find out what a run waits for.
"""

from __future__ import annotations

import asyncio
import faulthandler
import signal
import sys
from functools import partial

from uiap.cli.main import main
from uiap.host.workflows import durable
from uiap.host.workflows.workers import WorkerPresence


def print_stacks(loop: asyncio.AbstractEventLoop) -> None:
    faulthandler.dump_traceback(all_threads=True)
    for task in asyncio.all_tasks(loop):
        task.print_stack(limit=30, file=sys.stderr)
    sys.stderr.flush()


class TracedPresence(WorkerPresence):
    def start(self) -> None:
        super().start()
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR1, print_stacks, loop)


if __name__ == "__main__":
    durable.WorkerPresence = partial(TracedPresence, beat_s=0.5, lost_s=5.0)  # type: ignore[assignment,misc]
    sys.exit(main(["worker", *sys.argv[1:]]))
