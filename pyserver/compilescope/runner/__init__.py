"""Starts user programs under the tracer: interpreters, launch, standby worker, cleanup."""
