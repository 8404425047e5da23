"""Leaves the names of users, machines and folders out, wherever they stand as a word.

A word that Python, torch's operators in the recording or Compilescope's own code know is never taken for a name: a user
called `max` is hidden in paths alone, since `max` says nothing of anybody elsewhere.
"""

from __future__ import annotations

import builtins
import getpass
import keyword
import platform
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.recording.redact.spelled import any_of, spellings

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHORTEST_USER, _SHORTEST_FOLDER = 3, 4
_HOMES = re.compile(
    r"(?:^|[\\/])(?:home|Users|users|Documents and Settings)[\\/]+([^\\/\s\"'<>:;,*?|&]+)|\btorchinductor_([\w.-]+)"
)
_COMMON = frozenset(
    (  # noqa: SIM905 - a list of so many words is a page
        "localhost localdomain root user users runner ubuntu home admin administrator vscode shared public default "
        "guest nobody jovyan coder codespace"
    ).split()
)
_FOLDERS = frozenset(
    (  # noqa: SIM905 - a list of so many words is a page
        "bin build builds code codes core data dataset datasets dev dist etc example examples experiment experiments "
        "home include job jobs lib lib64 libs local logs main mnt model models opt output outputs package packages "
        "private project projects proj python repo repos results root runs sample samples scratch script scripts share "
        "shared site site-packages dist-packages source sources srv temp test tests torch train training users utils "
        "venv .venv workspace workspaces worker workers volume volumes .cache .local .config pytest numpy triton"
    ).split()
)
_NO_NAME = re.compile(r"[\d._:+-]*|.*:|python[\d.]*|.*<.*")
_OPERATORS = re.compile(r"\b(?:aten|prims|torch|Tensor|tensor|functional|inductor|triton|tl|libdevice|math)\.([\w.]+)")
_ADDRESS = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+|(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])"
)
_LOCAL = re.compile(r"127\.0\.0\.\d+|0\.0\.0\.0")
_VARIABLE = (
    r"(?:HOME|USER(?:NAME|PROFILE|DOMAIN)?|LOGNAME|HOSTNAME|COMPUTERNAME|PATH|PWD|OLDPWD|SHELL|MAIL|VIRTUAL_ENV|"
    r"(?:AWS|AZURE|CONDA|DBUS|GCP|GIT|GITHUB|GOOGLE|HF|HUGGING_FACE|KUBERNETES|LD|MASTER|MLFLOW|PBS|SLURM|SSH|SUDO|"
    r"WANDB|XDG)_[A-Z0-9_]+|[A-Z0-9_]*(?:TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|API_?KEY|ACCESS_KEY)[A-Z0-9_]*)"
)
_SET = re.compile(rf"(?<![\w$]){_VARIABLE}(?==)=([^\s\"'`;]+)")
_ENVIRON = re.compile(r"(environ\[\\?[\"']\w+\\?[\"']\] = )(\\?[\"'])(.*?)\2")
_ANY_CASE = "(?i:{})"
_HIDDEN = "hidden_0"
"""For a spelling of a hidden text that only looks alike without case."""
_SEPARATED = r"(?<![A-Za-z0-9])(?:{})(?![A-Za-z0-9])"


class Names:
    """Users, machines and folders of a recording, and texts that were named to be hidden."""

    def __init__(self, hidden: Iterable[str] = (), *, own: bool = True) -> None:
        self._hidden = {text: f"hidden_{number}" for number, text in enumerate(hidden, 1)}
        self._own = own
        self._people: dict[str, str] = {}
        self._pieces: dict[str, str] = {}
        self._kept: set[str] = set()
        self._operators: set[str] = set()
        self._patterns: list[tuple[re.Pattern[str], dict[str, str]]] = []
        self._replaced = _replacing(self._hidden, _ANY_CASE)
        self._unmet = dict(self._hidden)
        if own:
            self._take_own()

    def __len__(self) -> int:
        return len(self._people) + len(self._hidden)

    def take_text(self, text: str) -> None:
        """Note the operators that a text names: words of torch's."""
        for match in _OPERATORS.finditer(text):
            self._operators.update(match[1].split("."))

    def take_path(self, path: str) -> None:
        """Note whose home a path is in."""
        if self._own:
            for match in _HOMES.finditer(path):
                self._person(match[1] or match[2], "user")

    def take_folder(self, folder: str) -> None:
        """Note the folders that a path leads through."""
        for piece in re.split(r"[\\/]+", folder):
            if len(piece) >= _SHORTEST_FOLDER and piece.lower() not in _FOLDERS and not _NO_NAME.fullmatch(piece):
                self._pieces.setdefault(piece, f"name_{len(self._pieces) + 1}")

    def keep(self, word: str) -> None:
        """Never take a word for the name of a folder: files are called so, too."""
        self._kept.add(word)

    def ready(self) -> None:
        """Make the patterns of all that was noted."""
        known = _vocabulary()
        operators = "\n".join(self._operators)

        def is_word(name: str) -> bool:
            return name.lower() in known or name in self._kept or name in operators

        people = {name: token for name, token in self._people.items() if not is_word(name)}
        pieces = {name: token for name, token in self._pieces.items() if not is_word(name) and name not in people}
        self._patterns = [
            made
            for made in (self._replaced, _replacing(people, _SEPARATED), _replacing(pieces, _SEPARATED))
            if made is not None
        ]

    def hide(self, text: str) -> str:
        """Return `text` with tokens for names, and without addresses and what variables of the environment hold."""
        for pattern, tokens in self._patterns:
            text = _replaced(text, pattern, tokens)
        if not self._own:
            return text
        if "=" in text:
            text = _SET.sub(lambda match: match[0][: match.start(1) - match.start()] + "<left-out>", text)
            text = _ENVIRON.sub(r"\1\2<left-out>\2", text)
        if "@" in text or text.count(".") > 2:  # noqa: PLR2004 - an address has four numbers
            text = _ADDRESS.sub(lambda match: match[0] if _LOCAL.fullmatch(match[0]) else "<address>", text)
        return text

    @property
    def sought(self) -> list[re.Pattern[str]]:
        """What finds a text that was named to be hidden."""
        return [] if self._replaced is None else [self._replaced[0]]

    @property
    def unmet(self) -> tuple[str, ...]:
        """The texts that were named to be hidden and that `meet` was not given."""
        return tuple(self._unmet)

    def meet(self, text: str) -> None:
        """Note which texts that were named to be hidden are in this one."""
        if self._replaced is None or not self._unmet:
            return
        pattern, tokens = self._replaced
        met = {tokens.get(match[0].lower()) for match in pattern.finditer(text)}
        self._unmet = {name: token for name, token in self._unmet.items() if token not in met}

    def _take_own(self) -> None:
        """Note who packs, and where: most recordings are packed where they were made."""
        self._person(platform.node(), "host")
        self._person(platform.node().partition(".")[0], "host")
        try:
            self._person(getpass.getuser(), "user")
        except (OSError, KeyError, ImportError):
            return

    def _person(self, name: str, kind: str) -> None:
        if len(name) >= _SHORTEST_USER and name.lower() not in _COMMON:
            self._people.setdefault(name, f"{kind}-{len(self._people) + 1}")


def _replaced(text: str, pattern: re.Pattern[str], tokens: dict[str, str]) -> str:
    return pattern.sub(lambda match: tokens.get(match[0]) or tokens.get(match[0].lower(), _HIDDEN), text)


def _replacing(names: dict[str, str], form: str) -> tuple[re.Pattern[str], dict[str, str]] | None:
    tokens = {spelled: token for name, token in names.items() for spelled in spellings(name)}
    pattern = any_of(tokens)
    if form == _ANY_CASE:
        tokens = {spelled.lower(): token for spelled, token in tokens.items()}
    return None if pattern is None else (re.compile(form.format(pattern)), tokens)


@lru_cache(maxsize=1)
def _vocabulary() -> frozenset[str]:
    """The words of Python, and those of Compilescope's own code: what it may look for in a recording."""
    found = {*keyword.kwlist, *dir(builtins)}
    for file in Path(__file__).parents[1].rglob("*.py"):
        try:
            text = file.read_text(encoding="utf-8")
        except OSError:
            continue
        for word in re.findall(r"\w{3,}", text):
            found.add(word)
            found.update(word.split("_"))
    return frozenset(word.lower() for word in found)
