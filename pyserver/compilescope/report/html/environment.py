"""What the run was made with, what was not recorded, and what this file leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.recording.redact.redaction import KINDS
from compilescope.report.html.figures import seconds
from compilescope.report.html.markup import Markup, details, join, prose, section, shortened, tag

if TYPE_CHECKING:
    from compilescope.analysis.model import Result
    from compilescope.report.html.material import Material

_MOST = 40


def environment(material: Material) -> Markup:
    """The last section."""
    result = material.result
    run = result.run
    facts = [
        ("Command", shortened(" ".join(map(str, run.command)), 500)),
        ("Interpreter", run.python),
        ("torch", run.torch),
        ("Depth", run.depth),
        ("Started", (run.started or "").partition(".")[0].replace("T", " ")),
        ("Ranks", ", ".join(map(str, run.ranks[:32])) if len(run.ranks) > 1 else None),
        ("Graph caches", _caches(result)),
        ("torch.compile off", f"{run.disabled_by}=1" if run.disabled_by else None),
        ("Stance", run.stance),
    ]
    rows = [join([tag("dt", name), tag("dd", value)]) for name, value in facts if value]
    return section("environment", "Environment", None, tag("dl", *rows, class_="facts"), *_notes(material))


def _caches(result: Result) -> str | None:
    states = {one.cache for one in result.compiles if one.cache}
    return ", ".join(sorted(states)) or None


def _notes(material: Material) -> list[Markup]:
    run = material.result.run
    missing = [
        join(
            [
                prose(str(one.get("loses") or one.get("hook") or "?"), 200),
                tag("span", f" ({shortened(one.get('reason') or '?', 300)})", class_="dim"),
            ]
        )
        for one in run.unavailable
    ]
    damage = [
        f"{one.get('file') or one.get('log')}, byte {one.get('offset')}: {shortened(one.get('problem') or '', 300)}"
        for one in run.damage
    ]
    blocks = [
        _list("Not recorded", missing),
        _list("Left out of the recording on request", [KINDS.get(kind, kind) for kind in run.left_out]),
        _list("Damaged places in the recording", damage),
        _list("Notes", [prose(note) for note in material.notes]),
        _list("Left out of this file, to keep it small", material.left_out),
    ]
    return [one for one in blocks if one is not None]


def _list(name: str, every: list[Markup] | list[str]) -> Markup | None:
    if not every:
        return None
    shown = tag("ul", *(tag("li", one) for one in every[:_MOST]), class_="notes")
    more = tag("p", f"… {len(every) - _MOST} more", class_="dim") if len(every) > _MOST else None
    return details(f"{name}: {len(every)}", shown, more, open_=len(every) <= 8)  # noqa: PLR2004 - fits


def footer(material: Material, version: str) -> Markup:
    """The last line."""
    name = material.result.run.recording.replace("\\", "/").rstrip("/").rpartition("/")[2]
    lines = [
        f"Compilescope {version}",
        join(["recording ", tag("span", shortened(name, 80), class_="mono")]),
        "Everything is in this file; it loads nothing.",
    ]
    spent = material.result.run.wall_s
    return tag(
        "footer", *(tag("span", one) for one in lines), tag("span", f"run of {seconds(spent)}" if spent else "schema 1")
    )
