"""Learn which held requests only read: passes that press nothing, and a person who decides about each request.

A page shows its next requests only after the answer to the first ones, so there is a pass after each set of answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from uiap.discovery.report.network_line import held_reads
from uiap.errors import Unavailable
from uiap.spec.discovery import DiscoveryPackage

MAX_PASSES = 5


def learn_reads(
    observe: Callable[[Sequence[str]], DiscoveryPackage], known: Sequence[str]
) -> tuple[str, ...]:
    """Return the known read requests and those that a person permits. `observe` is one pass with the permitted ones."""
    permitted, refused = list(known), set[str]()
    for _ in range(MAX_PASSES):
        held = held_reads(observe(tuple(permitted)))
        offered = {one: pages for one, pages in held.items() if one not in refused and one not in permitted}
        if not offered:
            break
        for request, pages in offered.items():
            if _is_permitted(request, pages):
                permitted.append(request)
            else:
                refused.add(request)
        if refused.issuperset(offered):
            break
    for request in permitted[len(known) :]:
        click.echo(f"learned: --read-request '{request}'")
    if not refused and len(permitted) == len(known):
        click.echo("no request that looks like a read was held back")
    return tuple(permitted)


def _is_permitted(request: str, pages: Sequence[str]) -> bool:
    shown = ", ".join(f"`{page}`" for page in pages[:3]) + (" and others" if len(pages) > 3 else "")
    try:
        return click.confirm(f"{shown} may need {request}. Does it only read?", default=False)
    except click.Abort:
        raise Unavailable(
            f"nobody answered whether {request} only reads; use a terminal, or add --read-request '{request}'"
        ) from None
