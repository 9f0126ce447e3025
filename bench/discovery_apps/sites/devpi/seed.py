"""Create an empty server without a mirror of the public index."""

import subprocess
import sys

subprocess.run(
    [
        sys.executable,
        "-c",
        "from devpi_server.init import init; init()",
        "--serverdir",
        "data",
        "--no-root-pypi",
        "--root-passwd",
        "root-password",
    ],
    check=True,
)
