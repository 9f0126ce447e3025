"""Create three projects, each with three reports about made-up prices."""

import pandas as pd
from evidently import Report
from evidently.presets import DataDriftPreset, DataSummaryPreset
from evidently.ui.workspace import Workspace


def frame(shift: int) -> pd.DataFrame:
    rows = range(120)
    return pd.DataFrame(
        {
            "price": [10 + shift + n * 37 % 11 for n in rows],
            "rooms": [1 + (n * 7 + shift) % 5 for n in rows],
            "city": [("Bonn", "Lyon", "Turin")[(n + shift) % 3] for n in rows],
        }
    )


workspace = Workspace.create("workspace")
for name in ("Rents", "Lamps", "Doors"):
    project = workspace.create_project(name)
    project.description = f"Quality of the data about {name.lower()}"
    project.save()
    for shift in range(3):
        report = Report([DataSummaryPreset() if shift % 2 else DataDriftPreset()])
        workspace.add_run(project.id, report.run(frame(shift), frame(0)))
