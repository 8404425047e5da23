"""Runs inside the user's program and records what torch does. Standard library and torch only."""
