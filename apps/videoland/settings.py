"""What a Videoland is started with. It does not read the environment; the caller decides."""

from __future__ import annotations

from dataclasses import dataclass, field

from apps.videoland.knobs import Knobs

LANGUAGES = ("en", "de")


@dataclass(frozen=True)
class Settings:
    rows: int = 200
    """How many videos the store is seeded with when it is empty."""
    db: str | None = None
    """SQLite file; without one everything lives in memory and ends with the app."""
    password: str = "videoland"
    """The password of both seeded accounts."""
    auto_login: bool = False
    """Honour `?as=admin` and `?as=viewer` (demo and benchmarks only)."""
    truth: bool = False
    """Serve /__truth, /__writes and /__reset."""
    knobs: Knobs = field(default_factory=Knobs)
    """How the app starts to misbehave; POST /__knobs and `?knob=` change it later."""
    allow_knobs: bool = True
    """Honour `?knob=` and serve /__knobs."""
    language: str | None = None
    """Fixed default language instead of Accept-Language."""
    host: str = "127.0.0.1"
    port: int = 0
    billing_port: int = 0
