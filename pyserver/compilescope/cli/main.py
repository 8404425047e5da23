"""The `compilescope` command."""

from __future__ import annotations

import argparse
import os
import re
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from compilescope import __version__
from compilescope.analysis.logs import LEVELS
from compilescope.analysis.model import Rule
from compilescope.cli.chosen import chosen, together
from compilescope.cli.codes import FOUND, TIMED_OUT
from compilescope.cli.diff import add as add_diff
from compilescope.cli.events import events
from compilescope.cli.guards import guards
from compilescope.cli.logs import logs
from compilescope.cli.output import Fixing, check_output, hold_standard_streams, report, say
from compilescope.cli.pack import add as add_pack
from compilescope.cli.perfetto import trace_events
from compilescope.cli.ranks import machines, number, processes
from compilescope.cli.watch import add as add_watch
from compilescope.cli.words import joined
from compilescope.recording.files import RecordingError
from compilescope.runner.job import Job
from compilescope.runner.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FORMATS = ("text", "json", "html", "sarif", "markdown", "lcov", "cobertura", "openmetrics")
PLAIN_FORMATS = ("text", "json")
"""What guards and log records are shown as."""
FAILED = 2
INTERRUPTED = 130
OLDEST_GPU, NEWEST_GPU = 75, 129
"""Compute capabilities that Triton generates code for."""
WAYS_OUT = {
    "no-torch": "Install torch there, or name another interpreter with --python.",
    "bad-interpreter": "Name another interpreter with --python.",
    "old-python": "Name another interpreter with --python.",
    "no-folder": "Choose a place with --record.",
    "no-inputs": "Give them with --inputs.",
}
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

_EPILOG = f"""
exit code: the program's own (128 + n for signal n); {FOUND} when a rule of --fail-on was found;
{TIMED_OUT} when --timeout ended it; {FAILED} when compilescope itself failed.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    try:
        hold_standard_streams()
        options = _parser().parse_args(joined(sys.argv[1:] if arguments is None else arguments))
        code: int = options.run(options)
    except Problem as problem:
        say(_words(problem))
    except RecordingError as error:
        say(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - one clear message for whatever it is
        if os.environ.get("COMPILESCOPE_DEBUG"):
            traceback.print_exc()
        say(f"internal error: {type(error).__name__}: {error} (COMPILESCOPE_DEBUG=1 shows where)")
    else:
        return code
    return FAILED


def _words(problem: Problem) -> str:
    """The problem with the options that lead out of it."""
    gap = "\n" if "\n" in problem.detail else " "
    return gap.join(filter(None, [str(problem), WAYS_OUT.get(problem.code)]))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="compilescope", description="See what torch.compile does to your program.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    run = commands.add_parser(
        "trace",
        help="run a program and show what torch.compile did to it",
        usage="compilescope trace [options] (SCRIPT | -m MODULE) [ARGS...]",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    run.add_argument("--depth", choices=["capture", "full"], default="full", help="capture: no code generation, quick")
    run.add_argument("--fusion", action="store_true", help="also say why Inductor fused operations or did not")
    run.add_argument(
        "--profile", action="store_true", help="also count what runs in eager and what in compiled graphs (slower)"
    )
    run.add_argument(
        "--logs",
        metavar="NAMES",
        help='record these of torch\'s logs, written as in TORCH_LOGS ("+dynamo,guards"); show --logs prints them',
    )
    run.add_argument("--python", metavar="PY", help="interpreter that runs the program")
    run.add_argument("--record", metavar="DIR", help="where the recording goes (default: a new one in .compilescope/)")
    run.add_argument(
        "--triton-preview",
        metavar="GPU",
        type=_gpu,
        help="without a GPU: the Triton code for one, as sm_90 (H100), down to PTX; the program needs Triton installed",
    )
    run.add_argument(
        "--keep-caches",
        action="store_true",
        help="leave torch's graph caches on and show what they answer; what comes from a cache goes through no pass",
    )
    run.add_argument(
        "--check-eager",
        action="store_true",
        help="if something failed, run the program once more without torch.compile and say whether it fails there too",
    )
    _add_preview(run)
    run.add_argument(
        "--fix-verify",
        action="store_true",
        help="run the program again with the preferred fix of each finding, and say whether it is gone and outputs are "
        "equal; the program's files stay as they are",
    )
    run.add_argument("--timeout", metavar="S", type=_seconds, help="end the program after S seconds")
    run.add_argument("--fail-on", metavar="RULE[,RULE]", type=_rules, default=frozenset(), help="exit with 3 if found")
    _add_output(run)
    one = run.add_argument_group("one function or nn.Module that nothing compiles yet")
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
    several = run.add_argument_group("several processes", "These go on to torch.distributed.run (torchrun).")
    for name, check in RANKS.items():
        several.add_argument(f"--{name}", type=check, metavar=name.rpartition("-")[2].upper())
    run.add_argument("-m", dest="module", nargs=argparse.REMAINDER, metavar="MODULE", help="run a module")
    run.add_argument("script", nargs=argparse.REMAINDER, metavar="SCRIPT [ARGS...]", help="the program")
    run.set_defaults(run=_trace)

    show = commands.add_parser("show", help="show a recording, or any TORCH_TRACE log", allow_abbrev=False)
    _add_output(show)
    _add_preview(show)
    show.add_argument("--guards", metavar="ID", help="show instead what the compile ID (0/1) is checked for, as a tree")
    show.add_argument("--logs", action="store_true", help="show instead what torch logged, if trace --logs recorded it")
    show.add_argument(
        "--log-component", metavar="NAME", action="append", default=[], help="of a component or artifact only (--logs)"
    )
    show.add_argument("--log-level", metavar="LEVEL", type=_level, help="from this level on only (--logs)")
    show.add_argument(
        "--perfetto",
        action="store_true",
        help="show instead the timeline, as a trace for ui.perfetto.dev (with -o FILE)",
    )
    show.add_argument("--events", action="store_true", help="show instead how many events of each name it holds")
    show.add_argument(
        "--event", metavar="NAME", action="append", default=[], help="show instead all events of a name with payloads"
    )
    show.add_argument("--compile", metavar="ID", help="events of the compile ID (0/1, rank1:0/1) only")
    show.add_argument(
        "--job", metavar="N", type=int, help="of a folder with the logs of several jobs the Nth (default: the newest)"
    )
    show.add_argument(
        "recording",
        metavar="RECORDING",
        nargs="+",
        help="a recording, a pack of one, a TORCH_TRACE log (also .gz, .zst) or a folder; several logs are one",
    )
    show.set_defaults(run=_show)

    add_diff(commands)
    add_watch(commands)
    add_pack(commands)
    server = commands.add_parser("lsp", help="start the language server on stdin and stdout", allow_abbrev=False)
    server.set_defaults(run=_lsp)
    return parser


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="text",
        help="text (default), json, html (one file for a browser), sarif (2.1.0), markdown (for an issue), or which "
        "lines are compiled, for tools that show coverage: lcov, cobertura; openmetrics: figures for a monitoring job",
    )
    parser.add_argument("-o", dest="output", metavar="FILE", help="write the report to FILE instead of stdout")


def _add_preview(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--fix-preview", action="store_true", help="also show what each fix would change, as a diff")


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


def _level(text: str) -> str:
    if text.upper() not in LEVELS:
        raise argparse.ArgumentTypeError(f"no level {text!r}; levels are {', '.join(LEVELS)}")
    return text.upper()


def _rules(text: str) -> frozenset[str]:
    names = frozenset(filter(None, text.split(",")))
    known = get_args(Rule)
    if unknown := sorted(names - set(known)):
        raise argparse.ArgumentTypeError(f"no rule {', '.join(unknown)}; rules are {', '.join(known)}")
    return names


def _trace(options: argparse.Namespace) -> int:
    from compilescope.cli.trace import Options, trace  # noqa: PLC0415 - needs asyncio and more, which the rest does not

    words = options.module or options.script
    if not options.module and words[:1] == ["--"]:
        words = words[1:]
    if not words:
        raise Problem("no-script", "Nothing to run: give a script, or -m and a module.")
    if options.triton_preview and options.depth == "capture":
        raise Problem("bad-depth", "--triton-preview needs --depth full: at capture depth no code is generated.")
    name, *arguments = words
    script, module = (None, name) if options.module else (name, None)
    ranks = [(f"--{name}", getattr(options, name.replace("-", "_"))) for name in RANKS]
    job = Job(
        script,
        module,
        tuple(arguments),
        str(Path.cwd()),
        options.depth,
        target=options.target,
        inputs=tuple(options.inputs),
        triton_preview=options.triton_preview,
        ranks=tuple(word for name, value in ranks if value is not None for word in (name, value)),
        fusion=options.fusion,
        profile=options.profile,
        logs=options.logs,
    )
    return trace(
        job,
        Options(
            python=options.python,
            record=options.record,
            format=options.format,
            output=options.output,
            timeout_s=options.timeout,
            keep_caches=options.keep_caches,
            fail_on=options.fail_on,
            fix_preview=options.fix_preview,
            fix_verify=options.fix_verify,
            check_eager=options.check_eager,
        ),
    )


def _check_plain(options: argparse.Namespace) -> None:
    """Guards and log records are shown by themselves, which only some formats can."""
    has_events = options.events or options.event or options.compile is not None
    asked = "--guards" if options.guards is not None else "--logs" if options.logs else None
    asked = "--events" if has_events else asked
    if asked and options.format not in PLAIN_FORMATS:
        raise Problem("bad-format", f"{asked} is {' or '.join(PLAIN_FORMATS)}; {options.format} is not available.")


def _show(options: argparse.Namespace) -> int:
    _check_plain(options)
    check_output(options.output)
    paths = [Path(one) for one in options.recording if one]
    recording = together(paths) if len(paths) > 1 else chosen(paths[0] if paths else None, "show", options.job)
    if options.events or options.event or options.compile is not None:
        events(recording, options.event, options.compile, options.format, options.output)
    elif options.logs or options.log_component or options.log_level:
        logs(recording, options.log_component, options.log_level, options.format, options.output)
    elif options.perfetto:
        trace_events(recording, options.output)
    elif options.guards is not None:
        guards(recording, options.guards, options.format, options.output)
    else:
        report(recording, options.format, options.output, [], fixing=Fixing(options.fix_preview))
    return 0


def _lsp(_options: argparse.Namespace) -> int:
    from compilescope.lsp.server import main as serve  # noqa: PLC0415 - needs pygls, which the rest does not

    return int(serve() or 0)


if __name__ == "__main__":
    sys.exit(main())
