"""Runs snippets in one process, each compiled on its own; with --compare, says how they differ from their originals.

    driver.py [--compare REPORT ORIGINALS] FOLDER NAME...

A snippet is FOLDER/NAME.py, its original ORIGINALS/<NAME up to "__">.py.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import sys
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

FINE = 1e-12
"""How much numbers of 64 bits may differ: less than one that was rounded to 32 bits."""


def main(argv: list[str]) -> None:
    if argv[0] == "--compare":
        report, originals, folder, *names = argv[1:]
        compared = {name: compare(Path(originals), Path(folder), name) for name in names}
        Path(report).write_text(json.dumps(compared), encoding="utf-8")
    else:
        for name in argv[1:]:
            with fresh():
                run(Path(argv[0], name + ".py"), compiled=True)


def compare(originals: Path, folder: Path, name: str) -> dict[str, Any]:
    """What the snippet gave in eager and compiled, against the original in eager."""
    with fresh():
        wanted = run(originals / f"{name.partition('__')[0]}.py", compiled=False)
    with fresh():
        eager = run(folder / f"{name}.py", compiled=False)
    with fresh():
        compiled = run(folder / f"{name}.py", compiled=True)
    errors = {key: one["error"] for key, one in (("original", wanted), ("eager", eager), ("compiled", compiled))}
    return {
        "errors": {key: error for key, error in errors.items() if error},
        "eager": difference(wanted["outputs"], eager["outputs"]),
        "compiled": difference(wanted["outputs"], compiled["outputs"]),
        "printed": {"original": wanted["printed"], "eager": eager["printed"], "compiled": compiled["printed"]},
    }


@contextlib.contextmanager
def fresh() -> Iterator[None]:
    """Torch as it was before: no compiled code, the settings that a snippet changed put back."""
    config = torch._dynamo.config
    sets = {name: set(getattr(config, name)) for name in ("reorderable_logging_functions", "ignore_logging_functions")
            if hasattr(config, name)}  # fmt: skip
    plain = {name: getattr(config, name) for name in ("capture_scalar_outputs", "capture_dynamic_output_shape_ops")}
    torch._dynamo.reset()
    torch.manual_seed(0)
    try:
        yield
    finally:
        for name, value in plain.items():
            setattr(config, name, value)
        for name, values in sets.items():
            getattr(config, name).clear()
            getattr(config, name).update(values)


def run(file: Path, *, compiled: bool) -> dict[str, Any]:
    printed = io.StringIO()
    outputs, error = None, None
    torch.compiler.set_stance("default" if compiled else "force_eager")
    try:
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("always")
            spec = importlib.util.spec_from_file_location(file.stem, file)
            module = importlib.util.module_from_spec(spec)
            sys.modules[file.stem] = module
            spec.loader.exec_module(module)
            outputs = module.main()
    except Exception:  # noqa: BLE001 - reported in what is compared
        error = traceback.format_exc()
    finally:
        torch.compiler.set_stance("default")
    return {"outputs": outputs, "printed": printed.getvalue(), "error": error}


def difference(wanted: Any, got: Any) -> str | None:
    """In what two outputs differ; null where they are equal within their dtype's tolerance."""
    if type(wanted) is not type(got):
        return f"{type(wanted).__name__} became {type(got).__name__}"
    if isinstance(wanted, dict):
        return difference(list(wanted.items()), list(got.items()))
    if isinstance(wanted, list | tuple):
        if len(wanted) != len(got):
            return f"{len(wanted)} became {len(got)}"
        return next((one for one in map(difference, wanted, got) if one), None)
    return None if equal(wanted, got) else f"{wanted!r} became {got!r}"


def equal(wanted: Any, got: Any) -> bool:
    """Whether two values are equal, tensors in dtype, shape and requires_grad, too."""
    if isinstance(wanted, torch.Tensor):
        with contextlib.suppress(AssertionError):
            exact = {"rtol": FINE, "atol": FINE} if wanted.dtype is torch.float64 else {}
            torch.testing.assert_close(got, wanted, equal_nan=True, **exact)
            return wanted.requires_grad == got.requires_grad
        return False
    if isinstance(wanted, float):
        single = torch.tensor(wanted, dtype=torch.float32).item() == wanted
        return abs(wanted - got) <= (1e-5 if single else FINE) * abs(wanted)
    return bool(wanted == got)


if __name__ == "__main__":
    main(sys.argv[1:])
