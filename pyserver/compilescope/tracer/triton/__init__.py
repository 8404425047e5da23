"""Triton: the kernels that a GPU ran, and on a machine without one a preview of those that it would run."""
