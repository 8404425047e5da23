"""Compilescope: see what torch.compile does to a program, on the line that caused it."""

__version__ = "0.1.0"
