"""docs/settings.md says what the manifest says today."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("generate_settings", ROOT / "tools" / "generate_settings.py")
    assert spec is not None
    assert spec.loader is not None
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    written = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert written == generator.page(), "stale: run python tools/generate_settings.py"
