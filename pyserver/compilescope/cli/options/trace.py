"""`compilescope trace`."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, get_args

from compilescope.cli.codes import FAILED, FOUND, TIMED_OUT
from compilescope.cli.options.formats import add_output, add_preview
from compilescope.cli.ranks import machines, number, processes

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    Commands = _SubParsersAction[argparse.ArgumentParser]
    from collections.abc import Callable

OLDEST_GPU, NEWEST_GPU = 75, 129
"""Compute capabilities that Triton generates code for."""
RANKS: dict[str, Callable[[str], str]] = {
    "nproc-per-node": processes,
    "nnodes": machines,
    "node-rank": number,
    "rdzv-id": str,
    "rdzv-backend": str,
    "rdzv-endpoint": str,
    "master-addr": str,
    "master-port": number,
}
"""Options that go on to `torch.distributed.run` as they are, and what checks their values."""
EPILOG = f"""
exit code: the program's own (128 + n for signal n); {FOUND} when a rule of --fail-on was found;
{TIMED_OUT} when --timeout ended it; {FAILED} when compilescope itself failed.
"""


def add(commands: Commands) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "trace",
        help="run a program and show what torch.compile did to it",
        usage="compilescope trace [options] (SCRIPT | -m MODULE) [ARGS...]",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--depth", choices=["capture", "full"], default="full", help="capture: no code generation, quick"
    )
    parser.add_argument("--fusion", action="store_true", help="also say why Inductor fused operations or did not")
    parser.add_argument(
        "--profile", action="store_true", help="also count what runs in eager and what in compiled graphs (slower)"
    )
    parser.add_argument(
        "--logs",
        metavar="NAMES",
        help='record these of torch\'s logs, written as in TORCH_LOGS ("+dynamo,guards"); show --logs prints them',
    )
    parser.add_argument("--python", metavar="PY", help="interpreter that runs the program")
    parser.add_argument(
        "--record", metavar="DIR", help="where the recording goes (default: a new one in .compilescope/)"
    )
    parser.add_argument(
        "--triton-preview",
        metavar="GPU",
        type=_gpu,
        help="without a GPU: the Triton code for one, as sm_90 (H100), down to PTX; the program needs Triton installed",
    )
    parser.add_argument(
        "--keep-caches",
        action="store_true",
        help="leave torch's graph caches on and show what they answer; what comes from a cache goes through no pass",
    )
    parser.add_argument(
        "--check-eager",
        action="store_true",
        help="if something failed, run the program once more without torch.compile and say whether it fails there too",
    )
    add_preview(parser)
    parser.add_argument(
        "--fix-verify",
        action="store_true",
        help="run the program again with the preferred fix of each finding, and say whether it is gone and outputs are "
        "equal; the program's files stay as they are",
    )
    parser.add_argument("--timeout", metavar="S", type=_seconds, help="end the program after S seconds")
    parser.add_argument(
        "--fail-on", metavar="RULE[,RULE]", type=_rules, default=frozenset(), help="exit with 3 if found"
    )
    add_output(parser)
    one = parser.add_argument_group("one function or nn.Module that nothing compiles yet")
    one.add_argument(
        "--target",
        metavar="NAME",
        help="import the script instead, compile this of it and call it: a function, a class or an object of "
        'nn.Module, a method, or how it is made ("Net(width=64)")',
    )
    one.add_argument(
        "--inputs",
        metavar="ARGS",
        action="append",
        default=[],
        help='what it is called with: Python over the names of the file, as in "torch.randn(4, 8), scale=2.0"; '
        "again for a second call",
    )
    several = parser.add_argument_group("several processes", "These go on to torch.distributed.run (torchrun).")
    for name, check in RANKS.items():
        several.add_argument(f"--{name}", type=check, metavar=name.rpartition("-")[2].upper())
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, metavar="MODULE", help="run a module")
    parser.add_argument("script", nargs=argparse.REMAINDER, metavar="SCRIPT [ARGS...]", help="the program")
    parser.set_defaults(command="trace")


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise ValueError
    return value


_seconds.__name__ = "number of seconds"


def _gpu(text: str) -> str:
    match = re.fullmatch(r"sm_(\d{2,3})", text)
    if not match or not OLDEST_GPU <= int(match[1]) <= NEWEST_GPU:
        raise argparse.ArgumentTypeError(
            f"no GPU {text!r}; write sm_ and the compute capability without its point: "
            "sm_80 (A100), sm_90 (H100, H200), sm_100 (B200), sm_120 (RTX 50)"
        )
    return text


def _rules(text: str) -> frozenset[str]:
    from compilescope.analysis.model import Rule  # noqa: PLC0415 - takes its time, and few ask for it

    names = frozenset(filter(None, text.split(",")))
    known = get_args(Rule)
    if unknown := sorted(names - set(known)):
        raise argparse.ArgumentTypeError(f"no rule {', '.join(unknown)}; rules are {', '.join(known)}")
    return names
