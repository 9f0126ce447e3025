"""Two experiments with runs, a registered model with a version, a prompt."""

import mlflow
from mlflow import MlflowClient

mlflow.set_tracking_uri("sqlite:///mlflow.db")
for name in ("Churn", "Prices"):
    mlflow.set_experiment(name)
    for number in range(3):
        with mlflow.start_run(run_name=f"{name} {number}") as run:
            mlflow.log_param("depth", number + 1)
            for step in range(4):
                mlflow.log_metric("loss", 1 / (step + number + 1), step=step)
            mlflow.set_tag("team", "data")
            mlflow.log_text("notes of the run", "notes.txt")
client = MlflowClient()
client.create_registered_model("churn-model", description="who leaves")
client.create_model_version("churn-model", source=f"runs:/{run.info.run_id}/model", run_id=run.info.run_id)
mlflow.genai.register_prompt(name="greeting", template="Hello {{name}}")
