"""A recompile of each form; the line that ends in `# now NAME` brings the new value."""
# ruff: noqa: FBT003, SIM105, T201

import collections
import enum
import gc

import torch

COUNTS = collections.Counter()
ASKED = ("__repr__", "__str__", "__format__", "__len__", "__eq__", "__ne__", "__bool__", "__hash__", "__iter__")


def counted(name):
    """A method that counts its calls."""
    answers = {"__len__": 3, "__bool__": True, "__eq__": False, "__ne__": True, "__hash__": 1, "__iter__": iter(())}

    def method(_self, *_):
        COUNTS[name] += 1
        return answers.get(name, "told")

    return method


class Nosy(type):
    """A class of classes that counts what is asked of them."""

    def __eq__(cls, other):
        COUNTS["class __eq__"] += 1
        return cls is other

    def __hash__(cls):
        COUNTS["class __hash__"] += 1
        return type.__hash__(cls)

    def __repr__(cls):
        COUNTS["class __repr__"] += 1
        return type.__repr__(cls)

    def __instancecheck__(cls, instance):
        COUNTS["class __instancecheck__"] += 1
        return type.__instancecheck__(cls, instance)


class Loud(metaclass=Nosy):
    """Counts every call that could be made to show it or to compare it."""

    scale = 2

    def __init__(self, level):
        self.level = level

    def __getattr__(self, name):
        COUNTS["__getattr__"] += 1
        raise AttributeError(name)


class Other(Loud):
    """Another kind."""


class LoudList(list):
    """A list that counts as well."""

    def __len__(self):
        COUNTS["list.__len__"] += 1
        return super().__len__()

    def __getitem__(self, key):
        COUNTS["list.__getitem__"] += 1
        return super().__getitem__(key)

    def __iter__(self):
        COUNTS["list.__iter__"] += 1
        return super().__iter__()


for asked in ASKED:
    setattr(Loud, asked, counted(asked))


def compiled(function):
    return torch.compile(function, backend="eager", dynamic=False)


ones = torch.ones


@compiled
def dtype(x):
    return x + 1


dtype(ones(2))
dtype(ones(2, dtype=torch.float64))  # now dtype


@compiled
def rank(x):
    return x + 1


rank(ones(2))
rank(ones(2, 3))  # now rank


@compiled
def size(x):
    return x + 1


size(ones(2, 3))
size(ones(2, 4))  # now size


@compiled
def stride(x):
    return x + 1


stride(ones(3, 4))
stride(ones(4, 3).t())  # now stride


@compiled
def gradient(x):
    return x + 1


gradient(ones(2))
gradient(ones(2, requires_grad=True))  # now gradient


@compiled
def keys(x):
    return x + 1


keys(ones(2))
keys(torch._neg_view(ones(2)))  # now keys


@compiled
def tensor_type(x):
    return x + 1


tensor_type(ones(2))
tensor_type(torch.nn.Parameter(ones(2)))  # now tensor_type


@compiled
def integer(x, n):
    return x + n


integer(ones(2), 2)
integer(ones(2), 3)  # now integer


@compiled
def string(x, s):
    return x + 1 if s == "a" else x - 1


string(ones(2), "a")
string(ones(2), "b")  # now string


@compiled
def number(x, s):
    return x + s


number(ones(2), 1.5)
number(ones(2), 2.5)  # now number


@compiled
def flag(x, on):
    return x + 1 if on else x - 1


flag(ones(2), True)
flag(ones(2), False)  # now flag


@torch.compile(backend="eager", dynamic=True)
def shapes(x):
    return x + 1 if x.shape[0] > 6 else x - 1


shapes(ones(4))
shapes(ones(8))  # now shapes


@compiled
def kind(x, n):
    return x + n.level


kind(ones(2), Loud(1))
kind(ones(2), Other(1))  # now kind


def one(x):
    return x + 1


def two(x):
    return x + 2


@compiled
def function(x, fn):
    return fn(x)


function(ones(2), one)
function(ones(2), two)  # now function


@compiled
def length(x, xs):
    return x + len(xs)


length(ones(2), [1, 2])
length(ones(2), [1, 2, 3])  # now length


@compiled
def loud_list(x, xs):
    return x + len(list.copy(xs))


loud_list(ones(2), LoudList([1, 2]))
loud_list(ones(2), LoudList([1, 2, 3]))  # now loud_list


@compiled
def contains(x, d):
    return x + 1 if "mode" in d else x - 1


contains(ones(2), {"a": 1})
contains(ones(2), {"a": 1, "mode": 1})  # now contains


@compiled
def optional(x, **options):
    return x + 1 if "mode" in options else x - 1


optional(ones(2), a=1)
optional(ones(2), a=1, mode=1)  # a keyword that the call before did not pass


class Bag:
    """Something to put an attribute on."""


@compiled
def has_attribute(x, b):
    return x + 1 if hasattr(b, "extra") else x - 1


bag = Bag()
has_attribute(ones(2), bag)
bag.extra = 1
has_attribute(ones(2), bag)  # now has_attribute


@compiled
def key(x, d):
    return x + d["k"]


key(ones(2), {"k": 1})
try:
    key(ones(2), {"j": 1})  # now key
except KeyError:
    pass


@compiled
def grad_mode(x):
    return x + 1


grad_mode(ones(2))
with torch.no_grad():
    grad_mode(ones(2))  # now grad_mode


@compiled
def deterministic(x):
    return x + 1


deterministic(ones(2))
torch.use_deterministic_algorithms(True)
deterministic(ones(2))  # now deterministic
torch.use_deterministic_algorithms(False)


@compiled
def autocast(x):
    return x + 1


autocast(ones(2))
with torch.autocast("cpu"):
    autocast(ones(2))  # now autocast


@compiled
def default_dtype(x):
    return x + 1


given = ones(2)
default_dtype(given)
torch.set_default_dtype(torch.float64)
default_dtype(given)  # now default_dtype
torch.set_default_dtype(torch.float32)


@compiled
def duplicates(x, y):
    return x + y


duplicates(ones(2), ones(2))
same = ones(2)
duplicates(same, same)  # now duplicates


def plus(x):
    return x + 1


def first(gm, _inputs):
    return gm.forward


def second(gm, _inputs):
    return gm.forward


torch.compile(plus, backend=first)(ones(2))
torch.compile(plus, backend=second)(ones(2))  # now plus


@compiled
def gone(x, k):
    return x + k.value


def short_lived(value):
    return type("ShortLived", (), {"value": value})()


gone(ones(2), short_lived(1))
gc.collect()
gone(ones(2), short_lived(2))  # now gone


@compiled
def default_device(x):
    return x + torch.zeros(2)


default_device(ones(2))
torch.set_default_device("cpu")
default_device(ones(2))  # now default_device
torch.set_default_device(None)


class Net(torch.nn.Module):
    """Does something else in training."""

    def forward(self, x):
        return x + 1 if self.training else x - 1


net = Net()
run_net = compiled(net)
run_net(ones(2))
net.eval()
run_net(ones(2))  # now training


class Rated(torch.nn.Module):
    """Has a number."""

    def __init__(self):
        super().__init__()
        self.rate = 2

    def call(self, x):
        return x * self.rate


rated = Rated()
run_rated = compiled(rated.call)
run_rated(ones(2))
rated.rate = 3
run_rated(ones(2))  # now module_value


def closing(n):
    def closure(x):
        return x + n

    def change(m):
        nonlocal n
        n = m

    return closure, change


closed, change = closing(1)
run_closed = compiled(closed)
run_closed(ones(2))
change(5)
run_closed(ones(2))  # now closure

RATE = 1


@compiled
def global_value(x):
    return x + RATE


global_value(ones(2))
RATE = 7
global_value(ones(2))  # now global_value


@compiled
def order(x, d):
    for name in d:
        x = x + d[name]
    return x


order(ones(2), {"a": 1})
order(ones(2), {"b": 1})  # now order


@compiled
def attribute(x, n):
    return x + n.level


attribute(ones(2), Loud(1))
attribute(ones(2), Loud(4))  # now attribute


@compiled
def class_attribute(x, n):
    return x + n.scale


loud = Loud(1)
class_attribute(ones(2), loud)
Loud.scale = 9
class_attribute(ones(2), loud)  # now class_attribute


@compiled
def nested(x, d):
    return x + d["a"][1].level


nested(ones(2), {"a": (0, Loud(3))})
nested(ones(2), {"a": (0, Loud(6))})  # now nested


@compiled
def nothing(x, y):
    return x - 1 if y is None else x + 1


nothing(ones(2), None)
nothing(ones(2), Loud(1))  # now nothing


def automatic(function):
    return torch.compile(function, backend="eager")


@compiled
def device(x):
    return x + 1


device(ones(2))
device(ones(2, device="meta"))  # now device


@compiled
def inference(x):
    return x + 1


inference(ones(2))
with torch.inference_mode():
    made = ones(2)
inference(made)  # now inference


class Sub(torch.Tensor):
    """A subclass."""


@compiled
def subclass(x):
    return x + 1


subclass(ones(2))
subclass(ones(2).as_subclass(Sub))  # now subclass


@compiled
def arguments(x, *more):
    return x + len(more)


arguments(ones(2), 1)
arguments(ones(2), 1, 2)  # now arguments


@compiled
def keywords(x, **more):
    for value in more.values():
        x = x + value
    return x


keywords(ones(2), a=1)
keywords(ones(2), a=1, b=2)  # now keywords


@compiled
def longer(x, p):
    return x + sum(p)


longer(ones(2), (1, 2))
longer(ones(2), (1, 2, 3))  # now longer


class Grown(torch.nn.Module):
    """Gets another layer."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(2, 2)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


grown = Grown()
grow = compiled(grown)
grow(ones(2))
grown.layers.append(torch.nn.Linear(2, 2))
grow(ones(2))  # now grow


@automatic
def dynamic_int(x, n):
    return x + n


for number in (2, 3, 4, 5):
    dynamic_int(ones(2), number)  # now dynamic_int


@automatic
def dynamic_shape(x):
    return x + 1


for number in (2, 3, 4, 5):
    dynamic_shape(ones(number))  # now dynamic_shape


@automatic
def one_size(x):
    return x + 1


for number in (4, 5, 1):
    one_size(ones(number, 2))  # now one_size


@automatic
def piece(x, t):
    n = t.item()  # now piece
    return x[:n] + 1


for number in (2, 3, 4):
    piece(ones(9), torch.tensor(number))


class Colour(enum.Enum):
    """An enum."""

    RED = 1
    BLUE = 2


@compiled
def member(x, c):
    return x + 1 if c is Colour.RED else x - 1


member(ones(2), Colour.RED)
member(ones(2), Colour.BLUE)  # now member


@compiled
def to_none(x, mask):
    return x if mask is None else x * mask


to_none(ones(2), ones(2))
to_none(ones(2), None)  # now to_none


@compiled
def type_list(x, xs):
    return x + xs[0]


type_list(ones(2), [1])
type_list(ones(2), (1,))  # now type_list


@compiled
def modes(x):
    return x + 1


class Mode(torch.overrides.TorchFunctionMode):
    """A mode."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


modes(ones(2))
with Mode():
    modes(ones(2))  # now modes


@compiled
def device_change(x):
    return x + torch.zeros(2, device=x.device)


torch.set_default_device("cpu")
device_change(ones(2))
torch.set_default_device("meta")
device_change(ones(2, device="cpu"))  # now device_change
torch.set_default_device(None)


@compiled
def threads(x):
    return x + 1


torch.set_num_threads(2)
threads(ones(2))
torch.set_num_threads(1)
threads(ones(2))  # now threads
torch.set_num_threads(2)


@compiled
def autocast_dtype(x):
    return x + 1


with torch.autocast("cpu", dtype=torch.bfloat16):
    autocast_dtype(ones(2))
with torch.autocast("cpu", dtype=torch.float16):
    autocast_dtype(ones(2))  # now autocast_dtype


@compiled
def callback(x, fn):
    return fn(x)


def made_function(k):
    def inner(x):
        return x + k

    return inner


callback(ones(2), made_function(1))
callback(ones(2), made_function(2))  # now callback


optimizer_net = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(optimizer_net.parameters(), lr=0.1)


@automatic
def step():
    optimizer.step()  # now step


for rate in (0.1, 0.2, 0.3):
    optimizer.param_groups[0]["lr"] = rate
    optimizer_net(ones(1, 2)).sum().backward()
    step()


@automatic
def condition(x):
    if x.shape[0] % 2:
        return x + 1
    return x - 1


for number in (4, 6, 7, 8):
    condition(ones(number))  # now condition


@automatic
def channels(x):
    return x * 2


channels(ones(1, 3, 4, 4))
channels(ones(1, 3, 4, 4).to(memory_format=torch.channels_last))  # now channels


linear = torch.nn.Linear(2, 2)
run_linear = compiled(linear)
run_linear(ones(3, 2))
run_linear(ones(4, 2))  # now library


@compiled
def thrice(x):
    return x + 1


for _ in range(3):
    for number in (2, 3, 4):
        thrice(ones(number))  # now thrice


@compiled
def storm(x):
    return x + 1


for number in (2, 3, 4):
    storm(ones(number))  # now storm


print(sorted(COUNTS.items()))
print(torch._dynamo.utils.counters["stats"]["unique_graphs"])
print(
    {
        name: [str(entry.compile_id) for entry in torch._dynamo.eval_frame._debug_get_cache_entry_list(code)]
        for name, code in (("size", size.__wrapped__.__code__), ("closure", closed.__code__), ("plus", plus.__code__))
    }
)
