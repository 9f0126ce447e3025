"""The thirteen kinds of conditions, judged on the live state. `registry` has one row for each."""
