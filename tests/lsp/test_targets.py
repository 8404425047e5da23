"""What a file asks torch.compile for."""

import pytest
from compilescope.lsp.targets import Target, find_targets


@pytest.mark.parametrize(
    "decorator",
    [
        "@torch.compile",
        "@torch.compile(mode='max-autotune')",
        "@functools.partial(torch.compile, dynamic=True)",
        "@partial(torch.compile, dynamic=True)",
    ],
)
def test_decorated_functions(decorator):
    source = f"import torch\n\n{decorator}\ndef f(x):\n    return x\n"
    assert find_targets(source) == [Target(2, "f", decorated=True)]


def test_a_lens_goes_over_the_first_decorator():
    source = "import torch\n@other\n@torch.compile\ndef f(x):\n    return x\n"
    assert find_targets(source) == [Target(1, "f", decorated=True)]


@pytest.mark.parametrize(
    ("imports", "name"),
    [
        ("import torch as t", "t.compile"),
        ("from torch import compile", "compile"),
        ("from torch import compile as c", "c"),
    ],
)
def test_other_names_for_torch_compile(imports, name):
    assert find_targets(f"{imports}\n@{name}\ndef f(): ...\n") == [Target(1, "f", decorated=True)]


def test_methods_and_async_functions():
    source = "import torch\nclass M:\n    @torch.compile\n    async def forward(self): ...\n"
    assert find_targets(source) == [Target(2, "forward", decorated=True)]


def test_a_called_compile_marks_the_function_or_the_call():
    source = "import torch\ndef f(x): return x\ng = torch.compile(f)\nmodel = torch.compile(Model().eval())\n"
    assert find_targets(source) == [Target(1, "f", decorated=False), Target(3, None, decorated=False)]


def test_what_is_not_torch_compile():
    source = "import re\npattern = re.compile('x')\n\n@compile\ndef f(): ...\ncompile('1', '', 'eval')\n"
    assert find_targets(source) == []
