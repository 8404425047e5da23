"""The virtual environment and the Node packages of a checkout. A second call does nothing."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

from tools.system import Missing, need_compiler, need_node, need_python, run, say

ROOT = Path(__file__).resolve().parent.parent
TORCH = "torch==2.13.0"


def _stamp(*files: Path, extra: str = "") -> str:
    digest = hashlib.sha256(extra.encode())
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _imports(python: Path | str, module: str) -> bool:
    return subprocess.run([str(python), "-c", f"import {module}"], capture_output=True, check=False).returncode == 0


def venv_python() -> Path:
    """The checkout's interpreter, whether or not it is there yet."""
    folder = ROOT / ".venv"
    return folder / "Scripts" / "python.exe" if os.name == "nt" else folder / "bin" / "python"


def python(*, dev: bool = True) -> Path:
    """The checkout's interpreter with Compilescope and torch; makes it when it is not there.

    Torch is the user's own if the interpreter that runs this can import it, else one is installed.
    """
    need_python()
    need_compiler()
    target = venv_python()
    marker = ROOT / ".venv" / ".compilescope-setup"
    wanted = _stamp(ROOT / "pyproject.toml", Path(__file__), extra=f"{sys.version}{dev}")
    if marker.exists() and wanted in marker.read_text() and target.exists():
        return target
    if not target.exists():
        own_torch = _imports(sys.executable, "torch")
        say(f"making .venv ({'with the torch that is here' if own_torch else 'without torch yet'})")
        try:
            venv.create(ROOT / ".venv", with_pip=True, system_site_packages=own_torch)
        except (subprocess.CalledProcessError, ModuleNotFoundError) as error:
            raise Missing(
                "Python's `venv` does not work here. On Debian or Ubuntu: apt-get install python3-venv"
            ) from error
    say("installing Compilescope into .venv")
    run([target, "-m", "pip", "install", "-q", "-e", f"{ROOT}{'[dev]' if dev else ''}"])
    if not _imports(target, "torch"):
        say(f"installing {TORCH}")
        run([target, "-m", "pip", "install", "-q", TORCH, "numpy"])
        if not _imports(target, "torch"):
            raise Missing(f"{TORCH} was installed but can't be imported: `{target} -c 'import torch'` shows why.")
    marker.write_text(wanted + "\n" + _stamp(ROOT / "pyproject.toml", Path(__file__), extra=f"{sys.version}{False}"))
    return target


def node_modules() -> None:
    """The Node packages of package-lock.json."""
    need_node()
    marker = ROOT / "node_modules" / ".compilescope-setup"
    wanted = _stamp(ROOT / "package.json", ROOT / "package-lock.json")
    if marker.exists() and marker.read_text() == wanted:
        return
    say("installing the Node packages")
    run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=ROOT)
    marker.write_text(wanted)


def package() -> Path:
    """Build the .vsix and return its path."""
    run(["npm", "run", "--silent", "package"], cwd=ROOT)
    built = sorted(ROOT.glob("compilescope-*.vsix"), key=lambda path: path.stat().st_mtime)
    if not built:
        raise Missing("`npm run package` made no .vsix")
    return built[-1]
