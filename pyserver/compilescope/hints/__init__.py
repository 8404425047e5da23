"""Likely graph breaks, told from a file's syntax alone, before anything ran."""

from compilescope.hints.guess import Guess, guesses

__all__ = ["Guess", "guesses"]
