"""What to try for the parameters of a function when nobody says: an expression for each, from its name and annotation.

Shared by the tracer, which knows the function itself, and the server, which knows its text. No imports.
"""

from __future__ import annotations

MATRIX = "torch.randn(4, 8)"
TENSORS = (
    (("mask",), "torch.ones(4, 8, dtype=torch.bool)"),
    (("ids", "idx", "index", "indices", "token", "label", "target", "position"), "torch.randint(0, 8, (4,))"),
    (("image", "img", "pixel"), "torch.randn(1, 3, 32, 32)"),
)
"""Tensors by a part of the parameter's name."""
LITERALS = {"int": "4", "float": "1.0", "bool": "True", "str": '""', "dict": "{}", "device": '"cpu"'}
LITERALS |= {"dtype": "torch.float32"}
"""Values by annotation."""
NAMES = dict.fromkeys(
    ("eps", "scale", "lr", "rate", "alpha", "beta", "gamma", "temperature", "sigma", "dropout"), "1.0"
)
NAMES |= {name: LITERALS[name] for name in ("device", "dtype")}
"""Values by name, where nothing is annotated."""
SEQUENCES = ("list", "tuple", "sequence", "iterable")


def expression(name: str, annotation: str, tensor: str = MATRIX) -> str:
    """A Python expression to try for the parameter `name`; `annotation` is empty when there is none.

    `tensor`: what fits when it is a tensor of floats.
    """
    kind, name = annotation.strip("'\"").partition("|")[0].strip(), name.lower()
    outer, _, inner = kind.partition("[")
    base = outer.rpartition(".")[2].strip().lower()
    if base == "optional":
        return expression(name, inner.removesuffix("]"), tensor)
    if base in LITERALS:
        return LITERALS[base]
    if base in SEQUENCES:
        return f"[{tensor}]"
    if not kind and name in NAMES:
        return NAMES[name]
    return next((value for words, value in TENSORS if any(word in name for word in words)), tensor)
