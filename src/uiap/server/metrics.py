"""Metrics of the server in the Prometheus text format. No name or label comes from a client or a page."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from uiap.host.sessions.pool import BrowserPool
from uiap.server.admission import RequestAdmission
from uiap.server.session_pool import SessionPool

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def exposition(sessions: SessionPool, pool: BrowserPool, admission: RequestAdmission) -> str:
    """Return all metrics as text."""
    counts = sessions.counts
    lines = [
        *_metric("uiap_info", "gauge", "The version of this server.", 1, version=version("uiap")),
        *_metric("uiap_sessions", "gauge", "Sessions open now.", len(sessions.host_loop.connections)),
        *_metric("uiap_sessions_limit", "gauge", "Sessions that may be open at once.", sessions.max_sessions),
        *_metric("uiap_sessions_opened_total", "counter", "Sessions ever opened.", counts["sessions opened"]),
        *_metric(
            "uiap_sessions_refused_total",
            "counter",
            "Sessions refused because there are too many.",
            counts["sessions refused"],
        ),
        *_metric(
            "uiap_requests_refused_total", "counter", "Requests refused by admission.", admission.refused
        ),
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


def _metric_head(name: str, kind: str, help_text: str) -> list[str]:
    return [f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"]


def _metric(name: str, kind: str, help_text: str, value: int, **labels: str) -> list[str]:
    label_text = ",".join(f'{label}="{text}"' for label, text in labels.items())
    return [
        *_metric_head(name, kind, help_text),
        f"{name}{{{label_text}}} {value}" if label_text else f"{name} {value}",
    ]


def resident_bytes() -> int:
    """Return the resident memory of this process, or 0 if the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * 4096
