"""Build `compilescope-<version>.vsix`: the extension, its server and the server's pure-Python libraries, in one file.

`python tools/package_vsix.py` makes the file in the root; needs Node's packages (`npm ci`) and pip. With
`--stage FOLDER` it only copies there what could be packaged.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import docstrings

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = ROOT / "bundled" / "libs"
REQUIREMENTS = ROOT / "tools" / "bundled_requirements.txt"
MOST_BYTES = 2_000_000
NOT_NEEDED = (
    *(f"*.dist-info/{name}" for name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")),
    *("bin", "watchdog/watchmedo.py", "watchdog/tricks"),
)


class Unpackable(Exception):
    """The package can't be built, or is not what it should be."""


def node(*arguments: str | Path, cwd: Path = ROOT) -> None:
    """Run one of Node's tools; raises CalledProcessError when it fails."""
    subprocess.run(["node", *map(str, arguments)], check=True, cwd=cwd)


def stage(folder: Path) -> None:
    """Copy what `.vscodeignore` lets through into `folder`, and that file itself, which decides in the end.

    The packager looks at every file below its folder; a checkout has a virtual environment with tens of thousands.
    """
    for line in (ROOT / ".vscodeignore").read_text(encoding="utf-8").splitlines():
        if not line.startswith("!"):
            continue
        parts = Path(line[1:]).parts
        plain = next((index for index, part in enumerate(parts) if "*" in part), len(parts))
        source = ROOT.joinpath(*parts[:plain])
        if plain == 0:
            for each in ROOT.glob(line[1:]):
                shutil.copy2(each, folder / each.name)
        elif source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, folder.joinpath(*parts[:plain]), ignore=ignored, dirs_exist_ok=True)
        elif source.exists():
            target = folder.joinpath(*parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    shutil.copy2(ROOT / ".vscodeignore", folder / ".vscodeignore")
    docstrings.strip(folder / "pyserver")


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
            # watchdog has no wheel for every platform; that for Linux is pure Python with the code for all of them.
            *("--platform=any", "--platform=manylinux2014_x86_64"),
            *("--target", str(LIBRARIES), "--requirement", str(REQUIREMENTS)),
        ],
        check=True,
    )
    for pattern in NOT_NEEDED:
        for path in LIBRARIES.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path in LIBRARIES.glob("*.dist-info/METADATA"):
        fields, _, _readme = path.read_text(encoding="utf-8").partition("\n\n")
        path.write_text(fields + "\n", encoding="utf-8")
    native = [path.name for path in LIBRARIES.rglob("*") if path.suffix in {".so", ".pyd", ".dylib"}]
    if native:
        raise Unpackable(f"not pure Python: {', '.join(native)}")
    stamp.write_text(wanted, encoding="utf-8")


def build() -> Path:
    """Build everything and return the package's path; raises Unpackable when it is too large, or lacks data."""
    if not (ROOT / "node_modules").exists():
        raise Unpackable("Node's packages are not installed: run `npm ci` first.")
    version = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["version"]
    target = ROOT / f"compilescope-{version}.vsix"
    bundle_libraries()
    node("tools/build.mjs", "--production")
    # What is bundled needs no `node_modules`, and the package names no repository yet, so links are not rewritten.
    options = ("--no-dependencies", "--no-rewrite-relative-links", "--allow-missing-repository")
    with tempfile.TemporaryDirectory() as folder:
        stage(Path(folder))
        node(ROOT / "node_modules/@vscode/vsce/vsce", "package", *options, "--out", target, cwd=Path(folder))
    with zipfile.ZipFile(target) as archive:
        packaged = {name.removeprefix("extension/") for name in archive.namelist()}
    left_out = [path.name for path in LIBRARIES.rglob("*.txt") if path.relative_to(ROOT).as_posix() not in packaged]
    if missing := [name for name in left_out if name.startswith("grammar")]:
        raise Unpackable(f"parso can't read Python without {', '.join(missing)}: see .vscodeignore.")
    size = target.stat().st_size
    if size > MOST_BYTES:
        raise Unpackable(f"{target.name} has {size:,} bytes, more than {MOST_BYTES:,}.")
    return target


def main() -> int:
    """Build the package and say how large it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stage", type=Path, metavar="FOLDER", help="only copy what could be packaged into FOLDER")
    arguments = parser.parse_args()
    if arguments.stage is not None:
        stage(arguments.stage)
        return 0
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
