"""The texts of the files that findings point into."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.analysis.load import source_texts
from compilescope.analysis.log_lines import as_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compilescope.analysis.model import Result
    from compilescope.recording.reader import Recording

_MOST = 5_000_000


def sources(recording: Recording, result: Result) -> dict[str, str]:
    """Texts by path: as they were when traced, or, where the recording has none, as the files are now."""
    texts = source_texts(recording)
    for file in {finding.file for finding in result.findings if finding.file} - texts.keys():
        if (text := _read(Path(file))) is not None:
            texts[file] = text
    return texts


def with_logged(texts: Mapping[str, str], result: Result) -> dict[str, str]:
    """Return texts to show: also of files that nobody has, with the lines that the log has and the others empty."""
    return {file: as_text(lines) for file, lines in result.logged.items()} | dict(texts)


def _read(path: Path) -> str | None:
    try:
        if path.suffix != ".py" or not path.is_file() or path.stat().st_size > _MOST:
            return None
        return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return None
