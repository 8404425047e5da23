"""Leaves folders out: a path becomes `/<path-1>/model.py`, the same folder always the same token.

A folder in another one of the recording's stays in it (`/<path-1>/<path-2>`): what lies below the program's own is its.
What lies in an interpreter's library, or in torch, keeps its path from there: it tells installed code from the
program's own, and nothing of anybody. A path that torch shortened (`src/model.py`) becomes that of the whole one.
"""

from __future__ import annotations

import os
import re

from compilescope.recording.redact.spelled import any_of, spellings

# What a part of a path has in a text in which nothing says where it ends.
_PART = r"[^\s/\\\"'`<>|:;,()\[\]{}=*?$&%^!\x00]+"
_BEFORE = r"(?:(?<![\w.~/\\<>$%-])|(?<=file://)|(?<=-[ILBFD])|(?<=isystem))"
_TEXT = rf"{_BEFORE}(?:(?:/|~\w*/)(?:{_PART}/+)+(?:{_PART})?|[A-Za-z]:[\\/]+(?:{_PART}[\\/]+)+(?:{_PART})?)"
_WORD = re.compile(_PART)
_LONGEST = 4096
_RELATIVE = re.compile(rf"(?<![\w./\\<>~$%+@#-])(?:{_PART}/)+{_PART}\.pyi?(?!\w)")
# Where a text says where a path ends, whatever characters are in it: a frame of a traceback, a comment of a graph.
_TOLD = re.compile(
    r'\bFile \\*"((?:/|[A-Za-z]:[\\/])[^"\n\\]*(?:\\+\w[^"\n\\]*)*)\\*", line \d'
    r"|# File: ((?:/|[A-Za-z]:[\\/])[^\n:]*):\d+ in "
)
# Folders of torch's: its own files are told from there, and so is what lies beside it.
_OF_TORCH = re.compile(
    r"(?:_\w+|torch|triton|accelerator|amp|ao|autograd|backends|compiler|contrib|cpu|csrc|cuda|distributed|distributions"
    r"|export|fft|func|functional|fx|jit|library|linalg|masked|monitor|mps|mtia|multiprocessing|nested|nn|onnx|optim"
    r"|package|profiler|quantization|sparse|special|testing|utils|xpu)/"
)
_ABSOLUTE = re.compile(r"(?:/|[A-Za-z]:[\\/]|\\\\)[^\s/*\\][^\n\x00]*", re.DOTALL)
_LIBRARY = re.compile(r"(.*?)([\\/]+(?:lib(?:64)?[\\/]+python\d[\d.]*|Lib[\\/]+site-packages)(?:[\\/].*)?)", re.DOTALL)
_TORCH = re.compile(r"(.*?)([\\/]+torch[\\/]+(?:_dynamo|_inductor|_functorch|_logging|_compile|fx|nn)\b.*)$", re.DOTALL)
_IN_TORCH = re.compile(r"([\\/]+torch(?:[\\/].*)?)$", re.DOTALL)
_FILE = re.compile(
    r".+\.(?:py[cidowx]?|ipynb|so|dll|dylib|c|cc|cpp|cxx|cu|cuh|h|hpp|o|a|exe|cubin|hsaco|ptx|ttir|ttgir|llir|ll|json"
    r"|jsonl|log|txt|md|yaml|yml|toml|ini|cfg|lock|csv|tsv|parquet|pt|pt2|pth|ckpt|bin|safetensors|onnx|np[yz]|pkl|sh"
    r"|html|js|zip|gz|zst|tar|whl|best_config|kernel_perf|compilescope|link-tree)|python[\d.]*",
    re.IGNORECASE,
)
_PYTHON = re.compile(r"python[\d.]*(?:\.exe)?")
_IN_LIBRARY = re.compile(r"^.*?/+(?:lib(?:64)?/+python\d[\d.]*|Lib)/+(?:(?:site|dist)-packages/+)?", re.DOTALL)
_SLASHES = re.compile(r"[\\/]+")


class Paths:
    """Folders of a recording and their tokens. `files`: names of files are hidden, too."""

    def __init__(self, *, files: bool = False) -> None:
        self._hides_files = files
        self.files: set[str] = set()
        """Names of the program's files."""
        self._tokens: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._folders: set[str] = set()
        """As they stand: what comes before the part of a library that is kept."""
        self._keys: set[str] = set()
        self._torch: set[str] = set()
        self._ends: dict[str, str] = {}
        """Whole paths of files by their ends, `src/model.py`."""
        self._shortened: set[str] = set()
        """Folders of files that are told from somewhere, `src/acme`."""
        self._library: set[str] = set()
        """Files of an interpreter's library from there, `transformers/models/bert.py`."""
        self._spaced: set[str] = set()
        """Whole paths of files in whose names something stands that ends a path elsewhere."""
        self._short_for: dict[str, str] = {}
        self._find = re.compile(_TEXT)
        self._short: re.Pattern[str] | None = None
        self._file: re.Pattern[str] | None = None
        self._told: re.Pattern[str] | None = None

    def __len__(self) -> int:
        return len(self._tokens)

    @property
    def folders(self) -> list[str]:
        """The folders that were found and are not kept, as they stood, also those that are told from somewhere."""
        ends = {_IN_LIBRARY.sub("", folder) for folder in self._shortened if not _OF_TORCH.match(f"{folder}/")}
        installed = {file.rpartition("/")[0] for file in self._library}
        return sorted(self._folders | (ends - installed))

    def take(self, text: str) -> None:
        """Note the paths in a text, or the one that it is."""
        for match in self._find.finditer(text):
            self.take_path(match[0])
        if "File" in text:
            for match in _TOLD.finditer(text):
                self.take_path(match[1] or match[2])
        if ".py" in text:
            self._shortened.update(match[0].rpartition("/")[0] for match in _RELATIVE.finditer(text))

    def take_value(self, text: str) -> None:
        """Note a text that stands alone: a path, whatever characters are in it, or a text with paths."""
        if _is_path(text):
            self.take_path(text)
        else:
            self.take(text)

    def take_path(self, path: str) -> None:
        """Note a path: the folder of a file, or the path of what is none."""
        if len(path) > _LONGEST:
            return
        if (found := _TORCH.fullmatch(path)) is not None and not _LIBRARY.fullmatch(path):
            self._torch.add(found[1])
        folder, rest, name = self._split(path)
        self._library.add(_IN_LIBRARY.sub("", _SLASHES.sub("/", rest)).lstrip("/"))
        if folder.strip("\\/"):
            self._folders.add(folder)
        if name:
            self.files.add(name)
            if not _WORD.fullmatch(name):
                self._spaced.add(path)
            parts = [part for part in _SLASHES.split(path) if part]
            for start in range(1, len(parts) - 1):
                self._ends.setdefault("/".join(parts[start:]), path)
            if len(parts) > 1 and len(parts[0]) > 1:  # torch takes the root off, and one character more
                self._ends.setdefault("/".join([parts[0][1:], *parts[1:]]), path)

    def take_field(self, text: str) -> None:
        """Note the text of a field that holds a path, whatever characters are in it."""
        if _ABSOLUTE.fullmatch(text):
            self.take_path(text)
        else:
            self.take_value(text)

    def take_relative(self, path: str, cwd: str) -> None:
        """Note a path from `cwd`, as an argument of the program has it."""
        if cwd and _SLASHES.search(path) and not _ABSOLUTE.fullmatch(path) and "://" not in path:
            whole = os.path.normpath(f"{cwd}/{path}")
            self._ends.setdefault("/".join(_SLASHES.split(path)), whole)
            self.take_path(whole)

    def ready(self) -> None:
        """Make the patterns of all that was noted."""
        found = {folder for folder in self._folders if _is_telling(folder)}
        self._keys = {_key(folder) for folder in self._folders}
        forms = [_TEXT]
        for is_posix, slash in ((True, "/"), (False, r"[\\/]")):
            alike = (folder for folder in found if folder.startswith(("/", "~")) is is_posix)
            if known := any_of(spelled for folder in alike for spelled in spellings(folder)):
                forms.insert(0, rf"(?:{known})(?![\w-])(?:{slash}+{_PART})*{slash}*")
        if spaced := any_of(spelled for path in self._spaced for spelled in spellings(path)):
            forms.insert(0, rf"(?:{spaced})(?!\w)")
        self._find = re.compile("|".join(forms))
        self._short_for = {
            spelled: whole
            for end, whole in self._ends.items()
            for one in (end, end.replace("/", "\\"))
            for spelled in spellings(one)
        }
        told = any_of(spelled for folder in found for spelled in spellings(folder))
        self._told = re.compile(told) if told else None
        own = any_of(spelled for name in self.files for spelled in spellings(name)) if self._hides_files else None
        self._file = re.compile(rf"(?<![\w/\\.-])(?:{own})(?!\w)") if own else None
        short = any_of(self._short_for)
        self._short = re.compile(rf"(?<![\w./\\>~-])(?:{short})(?!\w)") if short else None

    def hide(self, text: str) -> str:
        """Return `text` with tokens for folders."""
        if "/" not in text and "\\" not in text:
            return text if self._file is None else self._file.sub(lambda match: self._name(match[0]), text)
        if len(text) <= _LONGEST and _ABSOLUTE.fullmatch(text) and self._is_known(text):
            return self.path(text)
        text = self._find.sub(lambda match: self.path(match[0]), text)
        if self._short is not None:
            text = self._short.sub(lambda match: self.path(self._short_for[match[0]]), text)
        if ".py" in text:
            text = _RELATIVE.sub(lambda match: self._relative(match[0]), text)
        if self._file is not None:
            text = self._file.sub(lambda match: self._name(match[0]), text)
        return text

    @property
    def sought(self) -> list[re.Pattern[str]]:
        """What finds a folder that was found."""
        return [] if self._told is None else [self._told]

    def path(self, path: str) -> str:
        """Return a path with a token for its folder."""
        end = re.search(r"[\\/]*$", path)
        ending = "/" if end and end[0] else ""
        folder, rest, name = self._split(path)
        shown = _SLASHES.sub("/", self._token(folder) + rest)
        return shown + (f"/{self._name(name)}" if name else "") + ending

    def _relative(self, path: str) -> str:
        """Return a path that torch shortened, and that the recording has nowhere as a whole."""
        return path if _OF_TORCH.match(path) or path in self._library else self.path(path)

    def _is_known(self, path: str) -> bool:
        return self._split(path)[0] in self._folders

    def _split(self, path: str) -> tuple[str, str, str]:
        """Return the folder that is hidden, what of a library's path is kept, and the name of a file of the program."""
        path = path.rstrip("\\/")
        if path in self._folders or len(path) > _LONGEST:
            return path, "", ""
        if found := _LIBRARY.fullmatch(path):
            return found[1], found[2], ""
        for root in self._torch:
            if path.startswith(root) and (kept := _IN_TORCH.fullmatch(path[len(root) :])):
                return root, kept[1], ""
        name = _SLASHES.split(path)[-1]
        if not _FILE.fullmatch(name):
            return path, "", ""
        return path[: len(path) - len(name)].rstrip("\\/"), "", name

    def _token(self, folder: str) -> str:
        """Return the token of a folder, behind that of the innermost folder around it that is known, too."""
        key = _key(folder)
        if not key.strip("/"):
            return ""
        token = self._tokens.get(key)
        if token is None:
            around = key
            while (around := around.rpartition("/")[0]) and around not in self._keys:
                pass
            outer = self._token(around) if around else ""
            token = self._tokens[key] = f"{outer}/<path-{len(self._tokens) + 1}>"
        return token

    def _name(self, name: str) -> str:
        if not self._hides_files or _PYTHON.fullmatch(name):
            return name
        if name not in self._names:
            stem, dot, ending = name.rpartition(".")
            known = f"file-{len(self._names) + 1}"
            self._names[name] = f"{known}{dot}{ending}" if stem else known
        return self._names[name]


def _key(folder: str) -> str:
    """What all spellings of a folder have in common."""
    key = _SLASHES.sub("/", folder).rstrip("/")
    return key.casefold() if re.match(r"[A-Za-z]:", key) else key


def _is_path(text: str) -> bool:
    """Whether a text that stands alone is a path: of a file, or one without anything that ends a path elsewhere."""
    if len(text) > _LONGEST or not _ABSOLUTE.fullmatch(text):
        return False
    return bool(_FILE.fullmatch(_SLASHES.split(text)[-1]) or re.fullmatch(_TEXT, text))


def _is_telling(folder: str) -> bool:
    """Whether a folder is looked for as it stands: `/data` would be found in any path's middle."""
    return len(_SLASHES.split(folder.strip("\\/"))) > 1
