"""Whose code a frame is, and where the user should look."""

from __future__ import annotations

import pytest
from compilescope.analysis.facts import Frame
from compilescope.analysis.frames import FrameRules, plain_function, resumed_at

RULES = FrameRules(["/usr/lib/python3.11", "/srv/venv"], "/src/pytorch/torch/", ["/srv/venv/tool/main.py"])


@pytest.mark.parametrize(
    ("file", "own"),
    [
        ("/home/me/train.py", True),
        ("C:\\work\\train.py", True),
        ("/usr/lib/python3.11/copy.py", False),
        ("/usr/lib/python3.11b/mine.py", True),
        ("/home/me/site-packages/toydiff/utils.py", False),
        ("C:\\py\\Lib\\site-packages\\x\\a.py", False),
        ("/opt/lib/python3/dist-packages/x.py", False),
        ("/elsewhere/lib/python3.12/contextlib.py", False),
        ("/src/pytorch/torch/nn/init.py", False),
        ("/src/pytorch/test/mine.py", True),
        ("<string>", False),
        ("<ipython-input-3-0a1b2c>", False),
        ("sys", False),
        ("", False),
        ("/srv/venv/tool/main.py", True),  # run as the program, wherever it lies
        ("/srv/venv/tool/other.py", False),
    ],
)
def test_user_code(file, own):
    assert RULES.in_user_code(file) is own


def test_place_is_the_innermost_frame_of_the_user():
    stack = [Frame("/a.py", 1), Frame("/b.py", 2), Frame("/usr/lib/python3.11/copy.py", 3)]
    assert RULES.place(stack) == stack[1]
    assert RULES.place(stack[2:]) == stack[2]
    assert RULES.place([]) is None
    assert RULES.caller(stack[2:]) is None


def test_resumed_pieces_have_their_functions_name():
    assert plain_function("torch_dynamo_resume_in_crop_mean_at_7") == "crop_mean"
    assert plain_function("torch_dynamo_resume_in_torch_dynamo_resume_in_f_at_3_at_9") == "f"
    assert plain_function("forward") == "forward"
    assert resumed_at("torch_dynamo_resume_in_crop_mean_at_7") == 7
    assert resumed_at("forward") is None
