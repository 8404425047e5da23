"""Write what the server answers about generated code, for the tests of its panel: `record_code.py RECORDING OUT`."""

import gzip
import json
import sys
from pathlib import Path

from compilescope.lsp import code, protocol, wire
from compilescope.lsp.opened import OpenRecording


def main(recording: str, out: str) -> None:
    """Ask for the code of every graph, and for what Triton made of its kernels."""
    opened = OpenRecording(recording)
    converter = wire.make_converter()
    answers = []
    for one in code.code(opened, protocol.CodeParams(recording, None)).compiles:
        first = code.code(opened, protocol.CodeParams(recording, one.id))
        for graph in first.graphs:
            found = code.code(opened, protocol.CodeParams(recording, one.id, graph))
            names = {kernel.name for text in found.texts for kernel in text.kernels if kernel.stages}
            stages = {
                name: code.kernel_stages(opened, protocol.KernelStagesParams(recording, one.id, graph, name))
                for name in sorted(names)
            }
            answers.append({"code": found, "stages": stages})
    data = json.dumps(converter.unstructure(answers), separators=(",", ":"))
    data = data.replace(str(Path.cwd()), "/home/user/project")
    Path(out).write_bytes(gzip.compress(data.encode(), mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
