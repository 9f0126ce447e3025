"""`python -m apps.hostile`: serve the pages until interrupted."""

from __future__ import annotations

import threading

from apps.hostile import PAGES, serving

if __name__ == "__main__":
    with serving(8041) as server:
        for name, page in PAGES.items():
            print(f"{server.page(name):48} {page.why}")
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print()
