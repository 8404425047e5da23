"""Which graph of a compile each text is of that torch wrote by itself.

Torch names neither the graph nor its direction. It writes the texts of AOTAutograd's graphs (DDP has one for each
bucket of gradients) one graph after the other, and those of Inductor before the graph's code, which says what it is
of (torch/_functorch/aot_autograd.py and torch/_inductor/compile_fx.py, 2.6 to 2.14).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.context import Context
    from compilescope.analysis.model import GraphCode
    from compilescope.recording.reader import Recording

TEXTS = {
    "dynamo_output_graph": ("dynamo", "after", "dynamo"),
    "before_pre_grad_graph": ("pre_grad", "before", "dynamo"),
    "after_pre_grad_graph": ("pre_grad", "after", "dynamo"),
    "aot_joint_graph": ("aot", "after", "joint"),
    "before_joint_graph": ("joint", "before", "joint"),
    "after_joint_graph": ("joint", "after", "joint"),
    "aot_forward_graph": ("aot", "after", "forward"),
    "aot_backward_graph": ("aot", "after", "backward"),
    "aot_inference_graph": ("aot", "after", "inference"),
    "before_post_grad_graph": ("post_grad", "before", "inference"),
    "after_post_grad_graph": ("post_grad", "after", "inference"),
    "inductor_post_grad_graph": ("post_grad", "after", "inference"),
}
"""Stage, position and, where it can be known, direction of each."""
_CODE = "inductor_output_code"


def named(recording: Recording, context: Context, codes: Iterable[GraphCode]) -> dict[int, str]:
    """Return `0/0/forward#1` by the number of the event, without a rank in front; `codes` are `output_code.table`."""
    of_code = {code.event: code.graph for code in codes}
    found: dict[int, str] = {}
    waiting: dict[tuple[int, str | None], list[int]] = defaultdict(list)
    count: Counter[tuple[tuple[int, str | None], str]] = Counter()
    trained: set[tuple[int, str | None]] = set()
    for event in recording.events(*TEXTS, _CODE):
        key = (event.process, event.compile_id)
        if event.name == _CODE:
            graph = of_code[event.id].removeprefix(context.prefix(event.process))
            found.update(dict.fromkeys(waiting.pop(key, ()), graph))
            continue
        stage, _, direction = TEXTS[event.name]
        if direction == "forward":
            trained.add(key)
        if stage == "post_grad":
            waiting[key].append(event.id)
            found[event.id] = f"{event.base_id}/{'forward' if key in trained else direction}"
            continue
        number = count[key, event.name]
        count[key, event.name] += 1
        found[event.id] = f"{event.base_id}/{direction}" + (f"#{number}" if number else "")
    return found
