"""Serve the application with its own settings."""

import sys

from ihatemoney.run import create_app

create_app("settings").run("localhost", int(sys.argv[1]), threaded=True)
