"""`python -m tests.host.killed_process FOLDER before|after [retry]`: press Save with a key and be killed meanwhile.

The application counts in a file. The store next to it is what the next process finds.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from msgspec import UNSET

from tests.support.handlers import Notes, running_handler
from uiap.drivers.scripted import App
from uiap.host.records.store import Store, sqlite_url


class NotesThatKill(Notes):
    """Notes whose Save kills the process before or after its effect."""

    def __init__(self, folder: Path, moment: str, retry: bool) -> None:
        super().__init__()
        self.folder, self.moment, self.retry = folder, moment, retry

    def save(self, app: App) -> None:
        if not self.retry and self.moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        file = self.folder / "count"
        file.write_text(str(int(file.read_text()) + 1 if file.exists() else 1))
        super().save(app)
        if not self.retry:
            os.kill(os.getpid(), signal.SIGKILL)


async def main(folder: Path, moment: str, retry: bool) -> None:
    store = Store(sqlite_url(folder / "s.sqlite3"))
    async with running_handler(store, notes=NotesThatKill(folder, moment, retry)) as one:
        result = await one.act(key="k")
        metadata = {} if result.metadata is UNSET else result.metadata
        print(
            json.dumps(
                {
                    "code": one.code(result),
                    "effect": result.side_effect_state,
                    "replayed": metadata.get("replayed", False),
                }
            )
        )
    store.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:] == ["retry"]))
