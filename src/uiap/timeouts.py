"""Default timeouts. Every layer takes them from here; requests, policies and options may set others.

Names end in their unit. The standard library alone is used, because commands of the CLI import this and must start
fast. Intervals that belong to one algorithm (how long a page must be idle) stay in its module.
"""

from __future__ import annotations

from typing import Final

# One action (ACT-6.2b, ACT-9.2, ACT-12.1)
ACTION_MS: Final = 15_000
"""From the request of an action to its result, without the time a person takes to confirm."""
PRECONDITION_MS: Final = 2_000
"""Until a target is present, visible and enabled."""
VERIFICATION_MS: Final = 5_000
"""From dispatch until the expected effect is observed."""
CONFIRMATION_MS: Final = 120_000
"""Until a person answers a confirmation."""
HANDOFF_MS: Final = 600_000
"""Until a person who took over hands back."""
PRECONDITION_S: Final = PRECONDITION_MS / 1000
VERIFICATION_S: Final = VERIFICATION_MS / 1000
CONFIRMATION_S: Final = CONFIRMATION_MS / 1000
HANDOFF_S: Final = HANDOFF_MS / 1000

# One operation of a driver
GESTURE_S: Final = 5.0
NAVIGATION_S: Final = 30.0

OPEN_MS: Final = 60_000
"""Until a browser or an application has started and shows its first page."""
OPEN_S: Final = OPEN_MS / 1000

# Waiting without an action
EXPECT_MS: Final = 5_000
"""Until expected signals are observed."""
EXPECT_S: Final = EXPECT_MS / 1000
WAIT_MS: Final = 10_000
"""Until the page changes or is idle."""
DOWNLOAD_MS: Final = 10_000
"""Until a download that was asked for is there."""
DOWNLOAD_S: Final = DOWNLOAD_MS / 1000

# One session
HEARTBEAT_MS: Final = 30_000
"""Between two signs of life."""
SESSION_IDLE_MS: Final = 600_000
"""A session without a message ends after this."""
RESUME_MS: Final = 60_000
"""A session without a connection can be resumed for this long."""
HEARTBEAT_S: Final = HEARTBEAT_MS / 1000
SESSION_IDLE_S: Final = SESSION_IDLE_MS / 1000
RESUME_S: Final = RESUME_MS / 1000

# One message
REPLY_S: Final = 30.0
"""Until the peer answers a request; added to the request's own timeout if it has one."""
CONNECT_S: Final = 10.0
"""Until a connection or a handshake is complete."""
SEND_S: Final = 10.0
"""Until a peer that reads slowly takes a message."""
CLOSE_S: Final = 2.0
"""Until a peer confirms that a connection is closed."""
