"""An `if` that needs none: its body changes nothing where the test is false, as a clamp to the bound that is tested."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.analysis.model import Fix
from compilescope.fixes import source
from compilescope.fixes.pure import is_pure

if TYPE_CHECKING:
    from compilescope.fixes.choice import Choice
    from compilescope.fixes.site import Site
    from compilescope.fixes.values import Values

_NAME = r"(?P<name>[^\W\d]\w*)"
_BOUND = r"(?P<bound>-?[\w.]+(?:e-?\d+)?)"
_TESTS = {
    "both": (
        rf"{_NAME}\.abs\(\)\.max\(\)>=?{_BOUND}",
        rf"\({_NAME}\.abs\(\)>=?{_BOUND}\)\.any\(\)",
        rf"torch\.abs\({_NAME}\)\.max\(\)>=?{_BOUND}",
    ),
    "upper": (
        rf"{_NAME}\.max\(\)>=?{_BOUND}",
        rf"\({_NAME}>=?{_BOUND}\)\.any\(\)",
        rf"torch\.max\({_NAME}\)>=?{_BOUND}",
    ),
    "lower": (
        rf"{_NAME}\.min\(\)<=?{_BOUND}",
        rf"\({_NAME}<=?{_BOUND}\)\.any\(\)",
        rf"torch\.min\({_NAME}\)<=?{_BOUND}",
    ),
}


def fix(site: Site, found: Choice, values: Values) -> Fix | None:
    """Return the body without its `if`, where it clamps a variable to just the bounds that the test asks for."""
    if found.form != "assign" or found.other or len(found.then) != 1 or found.then[0].operator:
        return None
    part = found.then[0]
    before, after = values.before(part.name, found.first), values.of(part.value)
    if before is None or after is None or before.dtype is None or before.dtype != after.dtype:
        return None
    if not _clamps(_plain(source.code(found.test)), part.name, _plain(part.text)) or not is_pure(
        site.source, part.value
    ):
        return None
    file = site.source
    lines = [*found.comments, f"{part.name} = {part.text}"]
    text = (file.line_end + file.indentation(found.first)).join(lines)
    return Fix(
        "Always clamp, without the if",
        [file.replaced_through(found.first, found.last, text)],
        kind="always",
        preferred=True,
        note="No effect inside the range. With a NaN among the values, the test was false; now the others are clamped.",
    )


def _clamps(test: str, name: str, value: str) -> bool:
    for which, patterns in _TESTS.items():
        for pattern in patterns:
            match = re.fullmatch(pattern, test)
            if match is not None and match["name"] == name and value in _clamped(which, name, match["bound"]):
                return True
    return False


def _clamped(which: str, name: str, bound: str) -> set[str]:
    """The texts of a clamp to just one bound, or to it and its opposite."""
    arguments = {
        "both": {f"-{bound},{bound}", f"min=-{bound},max={bound}", f"max={bound},min=-{bound}"},
        "upper": {f"max={bound}"},
        "lower": {f"min={bound}", bound},
    }[which]
    calls = {f"{name}.{method}({one})" for method in ("clamp", "clip") for one in arguments}
    calls |= {f"torch.{method}({name},{one})" for method in ("clamp", "clip") for one in arguments}
    if which != "both":
        side = "max" if which == "upper" else "min"
        calls |= {f"{name}.clamp_{side}({bound})", f"torch.clamp_{side}({name},{bound})"}
    return calls


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", text)
