"""Exit codes of ours, where the program's own does not tell."""

TIMED_OUT = 124
"""Of a run that reached its time limit, as of timeout(1)."""
FOUND = 3
"""When a rule of --fail-on was found."""
FAILED = 2
"""When this command itself failed."""
INTERRUPTED = 130
"""When it was interrupted by the keyboard."""
