"""Three studies: one with two parameters, one with two objectives, one that was never run."""

import optuna

optuna.logging.set_verbosity(optuna.logging.WARNING)
STORAGE = "sqlite:///studies.sqlite3"


def one_objective(trial):
    x, y = trial.suggest_float("x", -5, 5), trial.suggest_categorical("y", ["a", "b"])
    for step in range(4):
        trial.report(x * x + step, step)
    return x * x + (y == "a")


def two_objectives(trial):
    x, z = trial.suggest_float("x", 0, 5), trial.suggest_int("z", 1, 9)
    return x * x + z, (x - 2) ** 2


def sampler():
    return optuna.samplers.RandomSampler(seed=7)


study = optuna.create_study(study_name="baking", storage=STORAGE, sampler=sampler())
study.set_user_attr("oven", "old")
study.optimize(one_objective, n_trials=25)
study = optuna.create_study(
    study_name="packing", storage=STORAGE, directions=["minimize", "minimize"], sampler=sampler()
)
study.optimize(two_objectives, n_trials=20)
optuna.create_study(study_name="never-run", storage=STORAGE)
