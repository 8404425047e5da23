"""Reads torch's own messages: graph breaks, tracebacks, recompile reasons. Texts as torch 2.6 to 2.14 write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.analysis import older_breaks
from compilescope.analysis.facts import Failed, Frame

if TYPE_CHECKING:
    from compilescope.analysis.sources import Sources

_CAUSE = re.compile(
    r"^(?P<type>[^\n]+)\n  Explanation: (?P<explanation>.*?)"
    r"(?P<hints>(?:\n  Hint: .*?)*)\n\n?  Developer debug context: (?P<context>[^\n]*)",
    re.MULTILINE | re.DOTALL,
)
_ANOTHER = "*** While handling this graph break, another graph break occurred: ***"
_REASONS = ("Graph Break Reason: ", "\nReason: ")  # the second in older logs
_ID = re.compile(r"/gb/gb(\d+)\.html")
_SKIPS = (
    "Failed to handle graph break gracefully",
    "Encountered graph break that we cannot resume from",
    "Graph break: torch.compile cannot properly resume from this graph break",
)
_FRAME = re.compile(r'^ *File "(?P<file>[^"\n]*)", line (?P<line>\d{1,9}), in (?P<function>[^\n]+)$', re.MULTILINE)
_CARETS = re.compile(r"[~^]+")
_COMMENT = re.compile(r"\s+#\s(?P<comment>.*)$", re.DOTALL)
_HINT = re.compile(r"\s+\(HINT: torch\.compile .*$")  # torch 2.7 to 2.9 have no comment before it
_MISMATCH = re.compile(
    r"tensor '(?P<name>.+?)' (?:Tensor )?(?P<what>.+?) mismatch(?: at index (?P<index>\d{1,9}))?\."
    r" (?:expected|Expected device index to be) (?P<old>.+?)(?:, actual (?P<new>.+))?$"
)
_ENTRY = re.compile(r"^(!?[\d/]+(?:_\d+)?): ")
_BACKEND = re.compile(r"^BACKEND_MATCH failure: .*?Cached backend: (?P<old>.+?)\. New backend: (?P<new>.+?)\.(?: If|$)")
_COMPILER = re.compile(r"compiler='?(\w+)")
# Guards that are sentences: what they are about, and what that was and is.
_SENTENCES = (
    (re.compile(r"^Duplicate tensors found: \[(?P<name>.+?)\](?:, \[|$)"), "different tensors", "the same tensor"),
    (re.compile(r"^(?:Key|Index|Attribute)Error on (?P<name>\S+)"), "there", "missing"),
    (re.compile(r"^Cache line invalidated because (?P<name>.+?) got deallocated"), "alive", "gone"),
)
_EQUAL = re.compile(r"^(?P<expression>.+?) (?:==|is) (?P<old>.+)$")
# Of a dict's length, torch says what failed (torch/csrc/dynamo/guards.cpp, `DictGuardManager`).
_LENGTH = re.compile(r"^(?P<expression>len\(.+\)) != (?P<old>\d+)$")


@dataclass(frozen=True)
class BreakText:
    """What a graph-break message says. `reason` is the whole message without the program's own traceback."""

    reason: str
    skipped: bool
    gb_type: str | None
    gb_id: str | None
    explanation: str
    context: str
    hints: tuple[str, ...]
    skip_type: str | None = None
    skip_id: str | None = None


def break_text(message: str) -> BreakText:
    """Read a graph-break message, with or without the lines that torch's log puts around it."""
    head = message.partition("\nUser code traceback:")[0].partition("\nStack variable source attribution:")[0]
    head = head.partition("\nTraceback (most recent call last):")[0]
    reason = next((after for said in _REASONS if (after := head.partition(said)[2])), head)
    cause = _CAUSE.search(reason)
    skipped = any(one in reason for one in _SKIPS)
    if cause is None:
        plain = reason.partition("\n\n")[2] if skipped else reason
        name, context = older_breaks.known(plain.strip().splitlines()[0].strip()) if plain.strip() else (None, "")
        return BreakText(reason.strip(), skipped, name, None, "", context, ())
    after, _, second = reason[cause.end() :].partition(_ANOTHER)
    number, skip_number = _ID.search(after), _ID.search(second)
    skip = _CAUSE.search(second)
    hints = tuple(" ".join(one.split()) for one in cause["hints"].split("\n  Hint: ") if one.strip())
    return BreakText(
        reason=reason.strip(),
        skipped=skipped,
        gb_type=cause["type"].strip().removeprefix(older_breaks.PREFIX),
        gb_id=f"GB{number[1]}" if number else None,
        explanation=" ".join(cause["explanation"].split()),
        context=cause["context"].strip(),
        hints=hints,
        skip_type=skip["type"].strip() if skip else None,
        skip_id=f"GB{skip_number[1]}" if skip_number else None,
    )


def frames(text: str, sources: Sources | None = None) -> tuple[Frame, ...]:
    """Read the frames of a traceback, outermost first; columns where it has carets and the source is known."""
    found = []
    matches = list(_FRAME.finditer(text))
    ends = [*(match.start() for match in matches[1:]), len(text)]
    for match, end in zip(matches, ends, strict=False):
        rest = text[match.end() + 1 : end].split("\n")
        col, end_col = _columns(rest, match, sources)
        line = int(match["line"])
        end_line = None if col is None else line
        found.append(Frame(match["file"], line, match["function"].strip(), end_line, col, end_col))
    return tuple(found)


def _columns(rest: list[str], match: re.Match[str], sources: Sources | None) -> tuple[int | None, int | None]:
    """Return where the carets under a frame's source line are, in UTF-8 bytes of the line in the file."""
    if sources is None or len(rest) < 2:  # noqa: PLR2004
        return None, None
    shown, carets = rest[0], _CARETS.search(rest[1])
    line = sources.line(match["file"], int(match["line"]))
    if carets is None or line is None or rest[1].strip("~^ \t") or line.strip() != shown.strip():
        return None, None
    shift = len(line) - len(line.lstrip()) - (len(shown) - len(shown.lstrip()))
    start, end = carets.start() + shift, carets.end() + shift
    if start < 0:
        return None, None
    return len(line[:start].encode()), len(line[:end].encode())


def user_traceback(message: str) -> str:
    """Return the part of a graph-break message that is the program's own traceback."""
    after = message.partition("\nUser code traceback:")[2] or message.partition("in the following user code:")[2]
    return after.partition("\nTraceback (most recent call last):")[0]


def from_user_code(message: str) -> str:
    """Return the part of an exception's message that is the program's own traceback."""
    return message.partition("from user code:")[2].partition("\nSet TORCH")[0]


def failed(reason: str, sources: Sources | None = None) -> tuple[str | None, Failed]:
    """Read one line of recompile reasons: the version that did not fit (`0/0`), and why."""
    entry = _ENTRY.match(reason)
    text = reason[entry.end() :] if entry else reason
    part, _, stack = text.partition("\nUser stack trace:")
    guard = guard_part(part)
    expression, old, new = guard_values(guard)
    stack_frames = frames(stack, sources) if stack else comment_frames(part, sources)
    version = entry[1] if entry else None
    return version, Failed(text, guard, stack_frames, expression, old, new, version)


def without_entry(reason: str) -> str:
    """Return a reason without the version that it is about."""
    return _ENTRY.sub("", reason)


def guard_part(text: str) -> str:
    """Return a guard without the comment that torch puts after it."""
    return _HINT.sub("", _COMMENT.sub("", text.partition("\n")[0])).strip()


_PLACE = re.compile(r"(?:^|#\s*)(?P<file>[^\s#()][^#()\n]*?\.py):(?P<line>\d{1,9}) in (?P<function>\w+|<\w+>)")


def comment_frames(part: str, sources: Sources | None) -> tuple[Frame, ...]:
    """Read the place in a guard's comment (`# code  # path:line in fn`), when its short path fits a known file."""
    if sources is None:
        return ()
    comment = _COMMENT.search(part)
    match = _PLACE.search(comment["comment"]) if comment else None
    if match is None:
        return ()
    file = sources.find(match["file"])
    return () if file is None else (Frame(file, int(match["line"]), match["function"]),)


def comment_places(text: str, sources: Sources) -> tuple[Frame, ...]:
    """Read all places in a guard's comments that fit a known file: of several on one symbol, the last is the branch."""
    found = []
    for match in _PLACE.finditer(text):
        file = sources.find(match["file"].rpartition("# ")[2])
        if file is not None:
            found.append(Frame(file, int(match["line"]), match["function"]))
    return tuple(found)


def guard_values(guard: str) -> tuple[str | None, str | None, str | None]:
    """Return what a guard is about, its old value and the new one, as far as its text says."""
    if match := _MISMATCH.match(guard):
        if match["what"] == "requires_grad":
            needed = match["old"].strip() == "requires_grad=1"
            return f"{user_names(match['name'])} requires_grad", str(needed), str(not needed)
        return match["name"], match["old"].strip(), match["new"] and match["new"].strip()
    if match := _BACKEND.match(guard):
        return "backend", _backend(match["old"]), _backend(match["new"])
    for pattern, old, new in _SENTENCES:
        if match := pattern.match(guard):
            return user_names(match["name"]).replace('"', ""), old, new
    if match := _LENGTH.match(guard) or _EQUAL.match(guard):
        return match["expression"], match["old"].strip(), None
    return None, None, None


def _backend(described: str) -> str:
    """Return a backend's name out of torch's description of it."""
    match = _COMPILER.search(described)
    name = match[1] if match else described.partition(" (id=")[0]
    return "inductor" if name == "_TorchCompileInductorWrapper" else name


_SCOPED = re.compile(r"\b[LG]\['([A-Za-z_]\w*)'\]")
_CLASS_ATTRIBUTE = re.compile(r"(?:dict\()?type\((?P<owner>[^()]+)\)\.__dict__\)?\['(?P<name>\w+)'\]")
_MEMBER = re.compile(r"\._(?:modules|parameters|buffers)\['([A-Za-z_]\w*)'\]")
# How torch reads an attribute past what the class makes of it: of a Hugging Face configuration, for instance.
_PLAIN_ATTRIBUTE = re.compile(r"\bobject\.__getattribute__\((?P<owner>[^()]+), '(?P<name>\w+)'\)")
_CALLED = re.compile(r"^builtin (?P<builtin>\w+)|^call_method .+ (?P<method>\w+) [\[(]")


def called_in(context: str) -> str | None:
    """Return what torch says was called in the context of a break: `print`, `.item()`."""
    match = _CALLED.match(context)
    if match is None:
        return None
    return match["builtin"] or f".{match['method']}()"


def user_names(guard: str) -> str:
    """Return a guard in the program's own names: `L['x']` is `x`, `self._modules['drop']` is `self.drop`.

    What torch looks up in a class, `dict(type(c).__dict__)['scale']`, is `c.scale`, and past the class,
    `object.__getattribute__(c, 'scale')`, too.
    """
    named = _CLASS_ATTRIBUTE.sub(r"\g<owner>.\g<name>", _MEMBER.sub(r".\1", _SCOPED.sub(r"\1", guard)))
    return _PLAIN_ATTRIBUTE.sub(r"\g<owner>.\g<name>", named)


def mismatch(guard: str) -> tuple[str, str, int | None] | None:
    """Return tensor, property (`size`, `stride`, `dtype`, …) and dimension of a tensor guard that failed."""
    match = _MISMATCH.match(guard)
    if match is None:
        return None
    return match["name"], match["what"], int(match["index"]) if match["index"] else None
