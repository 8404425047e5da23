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


def _lend_torch(target: Path) -> None:
    """Let the checkout's interpreter see the packages of the one that runs this, after its own, if torch is there.

    A virtual environment sees no packages of another one by itself, and torch is too large to install twice.
    """
    where = "import os, torch; print(os.path.dirname(os.path.dirname(torch.__file__)))"
    found = subprocess.run([sys.executable, "-c", where], capture_output=True, text=True, check=False)
    if found.returncode != 0 or Path(sys.prefix) == ROOT / ".venv":
        return
    packages = found.stdout.strip()
    say(f"using the torch in {packages}")
    site = subprocess.run(
        [str(target), "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"],
        capture_output=True,
        text=True,
        check=True,
    )
    Path(site.stdout.strip(), "lent_torch.pth").write_text(packages + "\n")


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
        say("making .venv")
        try:
            venv.create(ROOT / ".venv", with_pip=True)
        except (subprocess.CalledProcessError, ModuleNotFoundError) as error:
            raise Missing(
                "Python's `venv` does not work here. On Debian or Ubuntu: apt-get install python3-venv"
            ) from error
    _lend_torch(target)
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
