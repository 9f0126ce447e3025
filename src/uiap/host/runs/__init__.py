"""Discovery runs: carries out the commands of a discovery machine and stores what it finds."""
