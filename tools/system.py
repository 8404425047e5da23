"""What has to be on the machine, and how to get it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MIN_NODE = 20


class Missing(Exception):
    """Something that has to be there is not; the message says what to do."""


def cache_dir() -> Path:
    """Where slow downloads are kept between checkouts (`COMPILESCOPE_DEV_CACHE` overrides it)."""
    chosen = os.environ.get("COMPILESCOPE_DEV_CACHE")
    base = (
        Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "compilescope-dev"
    )
    base.mkdir(parents=True, exist_ok=True)
    return base


def run(command: list[str | Path], *, cwd: Path | None = None, env: dict[str, str] | None = None) -> None:
    """Run `command` and show what it prints; raises CalledProcessError when it fails."""
    subprocess.run([str(part) for part in command], check=True, cwd=cwd, env=env)


def say(text: str) -> None:
    """Print a line that stands out between the output of tools."""
    print(f"\n== {text}", flush=True)


def debian(*packages: str, why: str) -> None:
    """Install Debian packages when we may, else raise Missing with the command for it."""
    hint = f"sudo apt-get install {' '.join(packages)}"
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        raise Missing(f"{why} needs: {', '.join(packages)}. On Debian or Ubuntu: {hint}")
    say(f"installing {', '.join(packages)} ({why})")
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], check=False, env=env, stdout=subprocess.DEVNULL)
    subprocess.run(
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages],
        check=True,
        env=env,
        stdout=subprocess.DEVNULL,
    )


def need_compiler() -> None:
    """Inductor compiles C++ on the CPU."""
    if not any(shutil.which(name) for name in (os.environ.get("CXX", "c++"), "g++", "clang++", "cl")):
        debian("g++", why="Inductor's C++ code")


def need_node() -> None:
    """Node 20 or newer, with npm."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        raise Missing("Node.js 20 or newer with npm is needed to build the extension, and `node` is not on PATH.")
    version = subprocess.run([node, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    if int(version.lstrip("v").split(".")[0]) < MIN_NODE:
        raise Missing(f"Node.js 20 or newer is needed to build the extension; {node} is {version}.")


def need_chromium() -> str:
    """Path of a Chromium for the browser tests."""
    for name in CHROMIUM_NAMES:
        found = shutil.which(name)
        if found:
            return found
    debian("chromium", "fonts-dejavu-core", why="the browser tests")
    return need_chromium()


def need_neovim() -> None:
    """Neovim, for the test that drives the server from another editor."""
    if shutil.which("nvim") is None:
        debian("neovim", why="the Neovim test")


def need_ps() -> None:
    """`ps`, by which the end-to-end tests look for processes that should be gone."""
    if shutil.which("ps") is None:
        debian("procps", why="the end-to-end tests")


def need_python() -> None:
    """Python 3.10 or newer, with venv."""
    if sys.version_info < (3, 10):
        raise Missing(f"Python 3.10 or newer is needed; this is {sys.version.split()[0]} ({sys.executable}).")
