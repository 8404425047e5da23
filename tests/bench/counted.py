"""Runs the program of its arguments and writes how many Python calls that took, to the file of its first argument."""

import cProfile
import pstats
import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    result, script = sys.argv[1:3]
    sys.argv[:] = sys.argv[2:]
    profile = cProfile.Profile()
    profile.enable()
    runpy.run_path(script, run_name="__main__")
    profile.disable()
    Path(result).write_text(str(pstats.Stats(profile).total_calls), encoding="utf-8")
