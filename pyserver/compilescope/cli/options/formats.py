"""What a report is written as and where to, for the commands that write one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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


def add_preview(parser: argparse.ArgumentParser) -> None:
    """Add what asks for fixes as diffs."""
    parser.add_argument("--fix-preview", action="store_true", help="also show what each fix would change, as a diff")
