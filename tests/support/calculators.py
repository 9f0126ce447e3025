"""Run the calculator example in a web page, in galculator, and through adb, and write the traces to a file.

Usage: `python -m tests.support.calculators traces.html`. The device is the simulated one of the tests, with galculator
on its screen.
"""

from __future__ import annotations

import asyncio
import os
import runpy
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.drivers.desktop.session import desktop
from tests.drivers.desktop.session import missing as no_desktop
from tests.support.android_bridge import bridge
from tests.support.android_bridge import missing as no_adb
from tests.support.android_handset import Handset
from tests.support.android_window import Window

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "calculator.py"


def main(file: str) -> None:
    if reason := no_desktop() or no_adb():
        raise SystemExit(reason)
    script = runpy.run_path(str(EXAMPLE))
    with ExitStack() as stack:
        folder = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="uiap-three-", ignore_cleanup_errors=True))
        )
        (folder / "desk").mkdir()
        environ = stack.enter_context(desktop(folder / "desk"))
        window = Window("galculator", environ)
        stack.callback(window.close)
        opened = stack.enter_context(bridge(folder))
        handset = Handset(window)
        handset.size = "Physical size: 1024x768"
        serial = opened.add(handset)
        os.environ.update(environ)
        os.environ.update(opened.environ)
        phone = f"android:{window.component}@{serial}"
        asyncio.run(script["main"]([script["WEB"], "desktop:galculator", phone, "--html", file]))


if __name__ == "__main__":
    main(sys.argv[1])
