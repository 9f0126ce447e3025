"""Run both jobs once, so that there are runs and events."""

import os
from pathlib import Path

home = Path("home").resolve()
home.mkdir(exist_ok=True)
(home / "dagster.yaml").write_text("telemetry:\n  enabled: false\n")
os.environ["DAGSTER_HOME"] = str(home)

import dagster as dg  # noqa: E402
import shop  # noqa: E402

instance = dg.DagsterInstance.get()
for name in ("nightly", "sales_job"):
    shop.defs.resolve_job_def(name).execute_in_process(instance=instance)
