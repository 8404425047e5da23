"""The compilescope command."""
