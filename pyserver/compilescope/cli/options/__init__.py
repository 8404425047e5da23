"""What each command accepts. What it does is in `compilescope.cli`, in the module of its name, with its `run`.

Modules here import nothing that takes time: every command loads all of them.
"""
