"""Empty stand-ins for NVIDIA's libraries, so that a CUDA build of torch can be imported on a machine without a GPU.

Torch's wheels for Linux on PyPI are CUDA builds, which need gigabytes of NVIDIA's libraries only to be imported. Each
stand-in exports the symbols that torch looks for and answers every call with "no device": torch then runs on the CPU.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

NO_DEVICE = 100  # cudaErrorNoDevice; a failure to every other library
SYSTEM = re.compile(r"(lib(pthread|m|dl|gomp|c|rt|stdc\+\+|gcc_s)|ld-linux[-\w]*)\.so")
OF_PYTHON = ("Py", "_Py")


def _lines(*command: str | Path) -> list[str]:
    done = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def _needed(library: Path) -> tuple[set[str], dict[str, str]]:
    """The libraries that `library` needs, and to which of them each symbol version belongs."""
    names, versions, owner = set(), {}, ""
    for line in _lines("objdump", "-p", library):
        match line.split():
            case ["NEEDED", name]:
                names.add(name)
            case ["required", "from", name]:
                owner = name.rstrip(":")
            case [_hash, _flags, _number, version] if owner:
                versions[version] = owner
    return names, versions


def make(torch_folder: Path) -> list[str]:
    """Put a stand-in for each library that is missing into torch's own `lib` folder; their names."""
    libraries = sorted((torch_folder / "lib").glob("*.so*"))
    needed: set[str] = set()
    owners: dict[str, str] = {}
    defined: set[str] = set()
    wanted: dict[str, set[str]] = defaultdict(set)  # by symbol version, "" for none
    for library in [*libraries, *torch_folder.glob("_C*.so")]:
        names, versions = _needed(library)
        needed |= names
        owners |= versions
    for library in libraries:
        defined |= {line.split()[-1].partition("@")[0] for line in _lines("nm", "-D", "--defined-only", library)}
        for line in _lines("nm", "-D", "--undefined-only", library):
            kind, symbol = line.split()[-2:]
            name, _, version = symbol.partition("@")
            if kind == "U" and not name.startswith(OF_PYTHON):
                wanted[version.strip("@")].add(name)
    missing = sorted(name for name in needed - {library.name for library in libraries} if not SYSTEM.match(name))
    for name in missing:
        symbols = {
            version: names - defined
            for version, names in wanted.items()
            if owners.get(version) == name or (not version and name == missing[0])
        }
        _compile(torch_folder / "lib" / name, symbols)
    return missing


def _compile(target: Path, symbols: dict[str, set[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source, script = Path(folder, "stub.c"), Path(folder, "stub.map")
        functions = sorted(name for names in symbols.values() for name in names)
        source.write_text("".join(f"long {name}(void) {{ return {NO_DEVICE}; }}\n" for name in functions))
        nodes = [
            f"{version} {{ global: {' '.join(f'{name};' for name in sorted(names))} }};\n"
            for version, names in symbols.items()
            if version and names
        ]
        script.write_text("".join(nodes))
        command = ["gcc", "-w", "-fno-builtin", "-shared", "-fPIC", f"-Wl,-soname,{target.name}", "-o", str(target)]
        subprocess.run([*command, str(source), *([f"-Wl,--version-script={script}"] if nodes else [])], check=True)
