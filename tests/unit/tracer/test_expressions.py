"""What a failed guard says about values, without running anything of the user's."""

import pytest
from compilescope.tracer.expressions import compared_values, user_name
from compilescope.tracer.values import describe


class Hostile:
    """Everything that must not be called."""

    scale = 3

    def __init__(self):
        self.limit = 5

    def _refuse(self, *_):
        raise AssertionError("a method of the user's was called")

    __repr__ = __str__ = __eq__ = __hash__ = __len__ = __bool__ = __getattr__ = __format__ = _refuse


class Loud(list):
    """A list whose own methods must not be called."""

    def _refuse(self, *_):
        raise AssertionError("a method of the user's was called")

    __len__ = __getitem__ = __iter__ = __repr__ = __eq__ = _refuse


@pytest.fixture
def scope():
    return {
        "L": {
            "sigma": 0.5,
            "names": ["a", "b"],
            "owner": Hostile(),
            "mode": "train",
            "options": {"x": 1},
            "loud": Loud([4, 5]),
        },
        "G": {"LIMIT": 7},
        "___check_type_id": lambda *_: False,
    }


def unknown(_: str) -> None:
    """The type that a version was made for, where nobody knows it."""


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("L['sigma'] == 1.0  # freq = math.log(sigma)  # a.py:9 in f", ("sigma", "1.0", "0.5")),
        ("(1.0 + L['sigma']) == 1.25", ("1.0 + sigma", "1.25", "1.5")),
        ("len(L['names']) == 3", ("len(names)", "3", "2")),
        ("L['mode'] == 'eval'", ("mode", "'eval'", "'train'")),
        ("L['owner'].limit == 4", ("owner.limit", "4", "5")),
        ("G['LIMIT'] == 8", ("LIMIT", "8", "7")),
        ("L['names'][1] == 'c'", ("names[1]", "'c'", "'b'")),
        ("2 <= len(L['names']) <= 1", ("len(names)", None, "2")),
        ("2 <= L['x'].size()[0]", ("x.size()[0]", None, None)),
        ("dict(type(L['owner']).__dict__)['scale'] == 2", ("owner.scale", "2", "3")),
        ("type(L['owner']).__dict__['scale'] == 2", ("owner.scale", "2", "3")),
        ("len(L['owner']) == 3", ("len(owner)", "3", None)),
        ("len(L['loud']) == 3", ("len(loud)", "3", "2")),
        ("L['loud'][0] == 3", ("loud[0]", "3", "4")),
        ("L['owner'].size() == 3", ("owner.size()", "3", None)),
        ("not ___dict_contains('x', L['options'])", ("'x' in options", "False", "True")),
        (
            "___check_type_id(L['sigma'], 123), type=<class 'int'>",
            ("type(sigma)", "int", "float"),
        ),
        ("___check_obj_id(L['owner'], 123)", ("owner", "another object", "<test_expressions.Hostile>")),
        ("tensor 'L['x']' size mismatch at index 0. expected 2, actual 3", ("x size at index 0", "2", "3")),
        ("tensor 'x' dtype mismatch. expected Float, actual Half", ("x dtype", "Float", "Half")),
    ],
)
def test_values(scope, part, expected):
    (value,) = compared_values([part], scope, unknown)
    old, new = value["old"], value["new"] and value["new"].replace(f"<{__name__}.", "<test_expressions.")
    assert (value["expression"], old, new) == expected


class Meta(type):
    """A class of classes that must not be asked anything."""

    def _refuse(cls, *_):
        raise AssertionError("a method of the user's metaclass was called")

    __repr__ = __eq__ = __hash__ = __instancecheck__ = __subclasscheck__ = __getattr__ = _refuse


class Strange(metaclass=Meta):
    """Has attributes of each kind, and one that only its own code could tell."""

    __slots__ = ("__dict__", "slot")

    def __init__(self):
        self.slot = 1
        self.__dict__["plain"] = 2
        self.__dict__["computed"] = 3

    @property
    def computed(self):
        raise AssertionError("a property was read")

    @property
    def __class__(self):
        raise AssertionError("its class was asked for")


@pytest.mark.parametrize(
    ("part", "new"),
    [
        ("L['s'].slot == 5", "1"),
        ("L['s'].plain == 5", "2"),
        ("L['s'].__dict__['plain'] == 5", "2"),
        ("L['s'].computed == 5", None),
        ("L['s'] == 5", f"<{__name__}.Strange>"),
        ("L['s'].__class__ == 5", f"<class {__name__}.Strange>"),
        ("L['kind'] == 5", f"<class {__name__}.Strange>"),
        ("list(dict.keys(L['d']))[1] == 5", "'b'"),
    ],
)
def test_nothing_of_an_object_or_its_metaclass_runs(part, new):
    scope = {"L": {"s": Strange(), "kind": Strange, "d": {"a": 1, "b": 2}}, "G": {}}
    (value,) = compared_values([part], scope, unknown)
    assert value["new"] == new


def test_calls_of_the_user_s_are_not_made(scope):
    (value,) = compared_values(["L['owner'].compute() == 4"], scope, unknown)
    assert value["new"] is None


@pytest.mark.parametrize(
    "part", ["BACKEND_MATCH failure: backends differ", "KeyError on L['a']", "", "Duplicate tensors found: ['x', 'y']"]
)
def test_parts_that_are_no_expressions(scope, part):
    assert compared_values([part], scope, unknown) == []


def test_user_name():
    assert user_name("L['self'].layers[0].p + G['n']") == "self.layers[0].p + n"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        ("a", "'a'"),
        (None, "None"),
        ([1, "x"], "[1, 'x']"),
        ({"a": 1}, "<dict of 1>"),
        (int, "<class int>"),
    ],
)
def test_describe(value, text):
    assert describe(value) == text


def test_describe_never_asks_the_object():
    assert describe(Hostile()) == f"<{__name__}.Hostile>"
    assert describe([Hostile()]) == "<list of 1>"
    assert len(describe("x" * 5000)) <= 120
