"""Build `compilescope-<version>.vsix`: the extension, its server and the server's pure-Python libraries, in one file.

`python tools/package_vsix.py` makes the file in the root; needs Node's packages (`npm ci`) and pip.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = ROOT / "bundled" / "libs"
REQUIREMENTS = ROOT / "tools" / "bundled_requirements.txt"
MOST_BYTES = 2_000_000
NOT_NEEDED = (*(f"*.dist-info/{name}" for name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")), "bin")


class Unpackable(Exception):
    """The package can't be built, or is not what it should be."""


def node(*arguments: str) -> None:
    """Run one of Node's tools from the root; raises CalledProcessError when it fails."""
    subprocess.run(["node", *arguments], check=True, cwd=ROOT)


def bundle_libraries() -> None:
    """Install the server's libraries into `bundled/libs`, unless they are there for these requirements already."""
    stamp = LIBRARIES / ".requirements"
    wanted = REQUIREMENTS.read_text(encoding="utf-8")
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    shutil.rmtree(LIBRARIES, ignore_errors=True)
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"),
            *("--no-deps", "--only-binary=:all:", "--implementation=py", "--require-hashes"),
            *("--target", str(LIBRARIES), "--requirement", str(REQUIREMENTS)),
        ],
        check=True,
    )
    for pattern in NOT_NEEDED:
        for path in LIBRARIES.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    native = [path.name for path in LIBRARIES.rglob("*") if path.suffix in {".so", ".pyd", ".dylib"}]
    if native:
        raise Unpackable(f"not pure Python: {', '.join(native)}")
    stamp.write_text(wanted, encoding="utf-8")


def build() -> Path:
    """Build everything and return the package's path; raises Unpackable when it is larger than it may be."""
    if not (ROOT / "node_modules").exists():
        raise Unpackable("Node's packages are not installed: run `npm ci` first.")
    version = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["version"]
    target = ROOT / f"compilescope-{version}.vsix"
    bundle_libraries()
    node("tools/build.mjs", "--production")
    # What is bundled needs no `node_modules`, and the package names no repository yet, so links are not rewritten.
    options = ("--no-dependencies", "--no-rewrite-relative-links", "--allow-missing-repository")
    node("node_modules/@vscode/vsce/vsce", "package", *options, "--out", str(target))
    size = target.stat().st_size
    if size > MOST_BYTES:
        raise Unpackable(f"{target.name} has {size:,} bytes, more than {MOST_BYTES:,}.")
    return target


def main() -> int:
    """Build the package and say how large it is."""
    try:
        target = build()
    except (Unpackable, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 1
    with zipfile.ZipFile(target) as archive:
        files = len(archive.infolist())
    print(f"{target.name}: {files} files, {target.stat().st_size / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
