"""Exit codes of ours, where the program's own does not tell."""

TIMED_OUT = 124
"""Of a run that reached its time limit, as of timeout(1)."""
FOUND = 3
"""When a rule of --fail-on was found."""
