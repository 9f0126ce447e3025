"""Serve the application with its own settings."""

import sys
from pathlib import Path

from ihatemoney.run import create_app

app = create_app("settings")
marks = Path(__file__).with_name("marks.js")
if marks.exists():

    @app.after_request
    def add_marks(response):
        """Add the script of the benchmark that marks each control."""
        if response.mimetype == "text/html":
            script = b"<script>" + marks.read_bytes() + b"</script></body>"
            response.set_data(response.get_data().replace(b"</body>", script))
        return response


app.run("localhost", int(sys.argv[1]), threaded=True)
