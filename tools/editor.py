"""The real VS Code in a browser, with the packaged extension and the examples."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tools import code_server, environment
from tools.system import cache_dir, say


def open_editor(port: int) -> int:
    """Serve the editor until it is stopped with Ctrl-C; returns its exit code."""
    python = environment.python()
    environment.node_modules()
    code_server.install()
    vsix = environment.package()
    profile = cache_dir() / "editor"
    settings = profile / "data" / "User" / "settings.json"
    if not settings.exists():
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(
            json.dumps({"compilescope.interpreter": str(python), "workbench.startupEditor": "none"}, indent=2)
        )
    folder = cache_dir() / "examples"
    shutil.copytree(Path(environment.ROOT, "examples"), folder, dirs_exist_ok=True)
    port = port or code_server.free_port()
    process = code_server.serve(folder, vsix=vsix, profile=profile, port=port)
    say(f"open http://127.0.0.1:{port}/?folder={folder} in a browser (Ctrl-C ends it)")
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.terminate()
        return 0
