"""What a report is written as and where to, for the commands that write one."""

from __future__ import annotations

import argparse

FORMATS = ("text", "json", "html", "sarif", "markdown", "lcov", "cobertura", "openmetrics")


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add what says the format and the file."""
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="text",
        help="text (default), json, html (one file for a browser), sarif (2.1.0), markdown (for an issue), or which "
        "lines are compiled, for tools that show coverage: lcov, cobertura; openmetrics: figures for a monitoring job",
    )
    parser.add_argument("-o", dest="output", metavar="FILE", help="write the report to FILE instead of stdout")


def add_mapping(parser: argparse.ArgumentParser) -> None:
    """Add what says where paths of another machine are here."""
    parser.add_argument(
        "--map-path",
        metavar="FROM=TO",
        action="append",
        default=[],
        type=_prefixes,
        help="the log is from another machine: its folder FROM is here as TO; can be given several times",
    )


def _prefixes(text: str) -> tuple[str, str]:
    there, _, here = text.partition("=")
    if not there.strip("\\/ ") or not here.strip():
        raise argparse.ArgumentTypeError(f"no FROM=TO: {text!r}; write it like /job/src=./src")
    return there, here


def add_preview(parser: argparse.ArgumentParser) -> None:
    """Add what asks for fixes as diffs."""
    parser.add_argument("--fix-preview", action="store_true", help="also show what each fix would change, as a diff")
