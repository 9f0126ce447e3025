"""Discovery runs: carries out the commands of a run, stores its findings and controls it from outside."""
