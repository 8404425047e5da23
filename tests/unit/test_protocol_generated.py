"""The TypeScript side of the protocol is what the generator writes today."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from attrs import frozen

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_protocol", ROOT / "tools" / "generate_protocol.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_typescript_is_up_to_date(generator: ModuleType) -> None:
    written = (ROOT / "extension" / "src" / "protocol.gen.ts").read_text(encoding="utf-8")
    assert written == generator.generate(), "stale: run python tools/generate_protocol.py"


def test_an_interface_has_the_names_of_the_wire(generator: ModuleType) -> None:
    @frozen
    class Place:
        """Where it is."""

        end_line: int
        file_name: str | None
        tags: list[str | int]
        env: dict[str, float]

    assert generator.interface(Place) == (
        "/** Where it is. */\n"
        "export interface Place {\n"
        "  endLine: number;\n"
        "  fileName: string | null;\n"
        "  tags: (string | number)[];\n"
        "  env: Record<string, number>;\n"
        "}\n"
    )


def test_a_type_that_json_cannot_carry_is_refused(generator: ModuleType) -> None:
    with pytest.raises(TypeError, match="no TypeScript type"):
        generator.type_text(set[str])
