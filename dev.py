#!/usr/bin/env python3
"""Everything that a checkout needs, in one command each.

python3 dev.py demo      set up, trace an example and show what was found
python3 dev.py test      set up and run all checks and tests (names of stages after it: only those)
python3 dev.py torch     the tests that run torch on another version of it: `dev.py torch 2.9.1`
python3 dev.py package   build compilescope-<version>.vsix
python3 dev.py editor    the real VS Code in a browser, with the extension and the examples
python3 dev.py bench     the benchmarks: ratios measured side by side
python3 dev.py setup     only set up
"""

import argparse
import subprocess
import sys


def parse() -> argparse.Namespace:
    """What was asked for."""
    from tools.stages import STAGES

    parser = argparse.ArgumentParser(prog="dev.py", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("demo", help="trace an example and show what was found")
    test = commands.add_parser("test", help="run all checks and tests")
    test.add_argument("stage", nargs="*", help=f"only these: {', '.join(STAGES)}")
    torch = commands.add_parser("torch", help="run the tests that run torch on another version of it")
    torch.add_argument("version", help="as on PyPI, such as 2.9.1")
    torch.add_argument("tests", nargs="*", help="only these files or folders")
    commands.add_parser("package", help="build the .vsix")
    editor = commands.add_parser("editor", help="the real VS Code in a browser")
    editor.add_argument("--port", type=int, default=0, help="port on the loopback interface (default: a free one)")
    commands.add_parser("bench", help="run the benchmarks")
    commands.add_parser("setup", help="only set up")
    options = parser.parse_args()
    unknown = [name for name in getattr(options, "stage", []) if name not in STAGES]
    if unknown:
        parser.error(f"no stage named {', '.join(unknown)}; there are {', '.join(STAGES)}")
    return options


def perform(options: argparse.Namespace) -> int:
    """Do it; returns the exit code."""
    from tools import demo, editor, environment, stages, torch_version

    if options.command == "setup":
        environment.python()
        environment.node_modules()
        return 0
    if options.command == "package":
        environment.python()
        environment.node_modules()
        print(environment.package())
        return 0
    commands = {
        "demo": demo.run,
        "test": lambda: stages.run_all(options.stage),
        "torch": lambda: torch_version.test(options.version, options.tests),
        "editor": lambda: editor.open_editor(options.port),
        "bench": stages.bench,
    }
    return commands[options.command]()


def main() -> int:
    """Run one command; returns the exit code."""
    if sys.version_info < (3, 10):
        print("Python 3.10 or newer is needed; this is", sys.version.split()[0])
        return 2
    from tools.system import Missing

    try:
        return perform(parse())
    except Missing as missing:
        print(f"\n{missing}", file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as failed:
        print(f"\nThis failed with exit code {failed.returncode}: {' '.join(map(str, failed.cmd))}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
