import os
import sys
from pathlib import Path

os.environ["DAGSTER_HOME"] = str(Path("home").resolve())
os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
sys.argv = ["dagster-webserver", "-f", "shop.py", "-h", "localhost", "-p", sys.argv[1]]

from dagster_webserver.cli import main  # noqa: E402

main()
