"""The whole report as one HTML file."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from compilescope import __version__
from compilescope.report.html.code import code
from compilescope.report.html.compiles import compiles
from compilescope.report.html.environment import environment, footer
from compilescope.report.html.exports import exports
from compilescope.report.html.findings import findings
from compilescope.report.html.graphs import graphs
from compilescope.report.html.guards import guards
from compilescope.report.html.kernels import kernels
from compilescope.report.html.markup import Markup, join, tag
from compilescope.report.html.passes import passes
from compilescope.report.html.ranks import ranks
from compilescope.report.html.records import collectives, links, metrics, restarts, symbols
from compilescope.report.html.stacks import stacks
from compilescope.report.html.summary import summary, title
from compilescope.report.html.timeline import timeline
from compilescope.report.html.versions import versions
from compilescope.report.private import Private

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.report.html.material import Material

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""A browser then runs no script and loads nothing, whatever should ever get into the page."""
_SECTIONS: tuple[Callable[[Material], Markup], ...] = (
    *(
        summary,
        findings,
        exports,
        ranks,
        collectives,
        graphs,
        compiles,
        restarts,
        stacks,
        versions,
        timeline,
        passes,
        kernels,
        code,
    ),
    *(guards, symbols, metrics, links),
)


def render(material: Material) -> str:
    """The report as HTML that ends in a newline, without names of users and machines."""
    body = [each(material) for each in _SECTIONS]
    main = tag("main", *body, environment(material), footer(material, __version__))
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title(material.result)),
        tag("style", _css()),
    )
    page = join([Markup("<!DOCTYPE html>\n"), tag("html", head, tag("body", main), lang="en"), "\n"])
    return Private.of(material.result).hide(page)


def _css() -> Markup:
    return Markup(files("compilescope.report.html").joinpath("report.css").read_text(encoding="utf-8"))
