"""The knowledge of a run: states, candidates, transitions, known paths and the frontier."""
