"""What torch's functions and methods give back: those that fixes may rely on. A name that is not here is unknown."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SAME_SHAPE = _words(
    "abs absolute neg negative sign exp exp2 expm1 log log2 log10 log1p sqrt rsqrt square sin cos tan asin acos "
    "atan sinh cosh tanh sigmoid relu gelu silu elu selu softplus leaky_relu relu6 mish hardtanh logsigmoid erf "
    "erfc reciprocal floor ceil round trunc frac clamp clip clamp_min clamp_max nan_to_num softmax log_softmax "
    "cumsum cumprod flip roll normalize detach clone contiguous tril triu deg2rad rad2deg "
    "zeros_like ones_like full_like"
)
"""Functions of one tensor whose result has its shape, and for floats its dtype."""

SAME_DTYPE = _words(
    "abs neg negative relu detach clone contiguous flip roll tril triu sign square floor ceil round trunc"
)
"""Those that keep any dtype."""

RESHAPING = _words("view reshape permute transpose unsqueeze squeeze flatten expand narrow select repeat")
"""Those that give the same elements in another shape, `view` where it is not given a dtype."""

CLAMPING = _words("clamp clip clamp_min clamp_max")
"""Those that keep the dtype of whole numbers when the bounds are whole."""

TESTS = _words("isnan isinf isfinite logical_not signbit")
"""Functions of one tensor that give a truth value for each element."""

BINARY = _words("add sub subtract mul multiply pow maximum minimum fmod remainder")
"""Functions of two tensors, or a tensor and a number, that give what they promote to."""

DIVIDING = _words("div divide true_divide")

COMPARING = _words("eq ne gt lt ge le greater less greater_equal less_equal logical_and logical_or isclose")

REDUCING = _words(
    "sum mean max min amax amin prod std var norm median nanmean nansum logsumexp argmax argmin all any count_nonzero"
)
"""Functions that without `dim` give one element without dimensions."""

OTHER_DTYPE = dict.fromkeys(TESTS, ("bool", "bool")) | {
    "double": ("float", "float64"),
    "float": ("float", "float32"),
    "half": ("float", "float16"),
    "bfloat16": ("float", "bfloat16"),
    "long": ("int", "int64"),
    "int": ("int", "int32"),
}
"""Functions of one tensor that give another dtype, its kind and name, in the same shape."""

COPYING = (
    REDUCING
    | BINARY
    | DIVIDING
    | COMPARING
    | TESTS
    | _words(
        "abs neg sign exp exp2 expm1 log log2 log10 log1p sqrt rsqrt square sin cos tan tanh sigmoid "
        "reciprocal clone dot"
    )
)
"""Functions whose result is no view of an argument, and never the argument itself."""

FLOAT_RESULT = _words("mean std var norm nanmean")
"""Reductions that exist for floats alone, or give floats."""

INT_RESULT = _words("argmax argmin count_nonzero")

OTHER = _words(
    "lerp hypot atan2 "
    "matmul mm bmm dot einsum linear layer_norm rms_norm embedding reshape view permute transpose t unsqueeze "
    "squeeze flatten expand expand_as repeat repeat_interleave narrow select index_select gather masked_fill "
    "where cat stack  zeros ones eye arange linspace tensor as_tensor to float "
    "double half bfloat16 long int bool type_as type cpu cuda mse_loss l1_loss cross_entropy binary_cross_entropy "
    "nll_loss smooth_l1_loss pad conv1d conv2d conv3d interpolate outer cross diff sort_values logaddexp addmm "
    "baddbmm new_zeros new_ones broadcast_to movedim swapaxes view_as reshape_as unfold one_hot scatter_add "
    "index_add scatter scaled_dot_product_attention"
)
"""Others that give a tensor, of a shape or dtype that is not worked out here."""

TENSORS = SAME_SHAPE | TESTS | BINARY | DIVIDING | COMPARING | REDUCING | OTHER
"""All that give one tensor (reductions: without `dim`, or those that then give no pair)."""

PAIR_WITH_DIM = frozenset({"max", "min", "median", "mode"})

TENSOR_ONLY = _words(
    "abs detach clamp cumsum dim double exp float half item log long masked_fill mean norm numel permute relu "
    "requires_grad sigmoid sin cos sqrt softmax std sum tanh tolist unsqueeze view size amax amin isnan isfinite "
    "isinf new_zeros type_as contiguous expand max min any all is_cuda matmul square pow sign"
)
"""Attributes that of all values in a compiled function a tensor has (an array of NumPy's, too)."""

PURE_MODULES = _words(
    "Linear Bilinear LayerNorm RMSNorm GroupNorm Embedding Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d "
    "ReLU GELU SiLU Sigmoid Tanh Softmax LogSoftmax ELU LeakyReLU Softplus Identity Flatten ReLU6 Mish Hardtanh "
    "MaxPool2d AvgPool2d AdaptiveAvgPool2d MSELoss L1Loss CrossEntropyLoss"
)
"""Modules whose call gives one tensor, changes nothing and draws no random numbers."""

SIZED_MODULES = _words(
    "Linear Bilinear LayerNorm RMSNorm GroupNorm Embedding Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d "
    "Flatten MaxPool2d AvgPool2d AdaptiveAvgPool2d"
)
"""Those of them whose result has at least one dimension."""
