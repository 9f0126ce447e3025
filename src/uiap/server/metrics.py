"""The server's figures as Prometheus reads them. Names and labels are ours: nothing a caller or page said."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from uiap.host.sessions.pool import BrowserPool
from uiap.server.admission import RequestAdmission
from uiap.server.session_pool import SessionPool

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def exposition(reception: SessionPool, pool: BrowserPool, knock: RequestAdmission) -> str:
    counts = reception.counts
    lines = [
        *_metric("uiap_info", "gauge", "The version that runs.", 1, version=version("uiap")),
        *_metric("uiap_sessions", "gauge", "Sessions open now.", len(reception.hall.connections)),
        *_metric(
            "uiap_sessions_limit", "gauge", "Sessions that may be open at once.", reception.max_sessions
        ),
        *_metric("uiap_sessions_opened_total", "counter", "Sessions ever opened.", counts["sessions opened"]),
        *_metric(
            "uiap_sessions_refused_total",
            "counter",
            "Sessions refused as too many.",
            counts["sessions refused"],
        ),
        *_metric("uiap_requests_refused_total", "counter", "Requests refused at the door.", knock.refused),
        *_metric("uiap_browsers", "gauge", "Browsers running now.", len(pool.browsers)),
        *_metric("uiap_browsers_launched_total", "counter", "Browsers ever started.", pool.launched),
        *_metric(
            "uiap_browser_sessions_lost_total",
            "counter",
            "Sessions whose browser died.",
            counts["browsers lost"],
        ),
        *_metric(
            "uiap_connections_refused_total",
            "counter",
            "Connections of pages to addresses that are not allowed.",
            pool.denied_connections,
        ),
        *_metric("uiap_contexts", "gauge", "Browser contexts open now.", pool.open_contexts),
        *_metric("process_resident_memory_bytes", "gauge", "Memory of this process.", resident_bytes()),
        *_metric_head("uiap_messages_total", "counter", "Messages served, by type."),
        *(
            f'uiap_messages_total{{type="{name.removeprefix("message ")}"}} {count}'
            for name, count in sorted(counts.items())
            if name.startswith("message ")
        ),
    ]
    return "\n".join(lines) + "\n"


def _metric_head(name: str, kind: str, told: str) -> list[str]:
    return [f"# HELP {name} {told}", f"# TYPE {name} {kind}"]


def _metric(name: str, kind: str, told: str, value: int, **labels: str) -> list[str]:
    within = ",".join(f'{label}="{text}"' for label, text in labels.items())
    return [*_metric_head(name, kind, told), f"{name}{{{within}}} {value}" if within else f"{name} {value}"]


def resident_bytes() -> int:
    """As the kernel counts it; 0 where it does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * 4096
