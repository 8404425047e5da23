"""Starts the server isolated: `python -I -S …/pyserver/compilescope/lsp/__main__.py`.

With `-I -S` no package of the interpreter, of the user or of the environment is seen; ours come from `bundled/libs`
beside `pyserver`. Without that folder the interpreter's own packages are used.
"""

from __future__ import annotations

import sys
from pathlib import Path

OLDEST = (3, 10)
ROOT = Path(__file__).resolve().parents[3]


def _prepare() -> None:
    """Put our packages on the path."""
    ours = [str(ROOT / "pyserver")]
    libraries = ROOT / "bundled" / "libs"
    if libraries.is_dir():
        ours.append(str(libraries))
    elif sys.flags.no_site:
        import site  # noqa: PLC0415 - only a checkout without bundled libraries needs it

        site.main()
    here = str(Path(__file__).resolve().parent)
    sys.path[:] = ours + [path for path in sys.path if path not in {*ours, here}]


if __name__ == "__main__":
    if sys.version_info < OLDEST:
        needed = ".".join(map(str, OLDEST))
        sys.exit(f"Compilescope's server needs Python {needed} or newer; this is {sys.version.split()[0]}.")
    _prepare()
    from compilescope.lsp.server import main

    sys.exit(main(sys.argv[1:]))
