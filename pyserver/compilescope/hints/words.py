"""Names of torch by what they give: words for `tensors`, which says what in a function is a tensor."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ONLY_TENSORS = _words(
    "sin cos tan exp exp2 expm1 log1p sqrt rsqrt abs neg relu sigmoid tanh softmax log_softmax clamp "
    "clamp_min clamp_max unsqueeze permute contiguous detach matmul mm bmm float half double bfloat16 long masked_fill "
    "index_select scatter gather expand expand_as type_as softplus erf square logsumexp lerp triu tril "
)
"""Methods that give a tensor and that hardly anything else has."""
SURE = ONLY_TENSORS - {"float", "half", "double", "bfloat16"}
"""Those that modules don't have either."""
SHOWN = SURE | _words(
    "sum mean amax amin max min any all reshape view transpose clone flatten squeeze std var argmax argmin"
)
"""Methods that a parameter of a compiled function gets when it is a tensor, or an array at most."""
OF_TENSORS = ONLY_TENSORS | _words(
    "add sub mul div pow sum mean prod norm std var amax amin argmax argmin any all view reshape squeeze transpose t "
    "flatten clone to cpu cuda bool int log round floor ceil eq ne lt le gt ge isnan isinf isfinite cumsum repeat roll "
    "flip max min median dot type requires_grad_ fill_ zero_ add_ mul_ sub_ div_ masked_fill_ isclose logical_not "
    "logical_and logical_or nonzero "
)
"""Methods that give a tensor when they are called on one."""
FUNCTIONS = (
    OF_TENSORS - {"to", "cpu", "cuda", "view", "type", "contiguous", "float", "half", "double", "long"}
) | _words(
    "zeros ones full empty rand randn randint randperm arange linspace tensor as_tensor from_numpy zeros_like "
    "ones_like full_like empty_like rand_like randn_like eye cat stack concat where einsum linear gelu silu dropout "
    "layer_norm normalize one_hot cross_entropy mse_loss nll_loss pad outer cross maximum minimum addmm baddbmm "
    "scaled_dot_product_attention embedding conv1d conv2d conv3d leaky_relu elu "
)
"""Functions of torch and of `torch.nn.functional` that give a tensor."""
ONE_RESULT = _words(
    "Linear LayerNorm RMSNorm GroupNorm Embedding Dropout ReLU GELU SiLU Sigmoid Tanh Softmax Identity Flatten "
    "AvgPool1d AvgPool2d MaxPool1d MaxPool2d AdaptiveAvgPool2d "
)
"""Layers of `torch.nn` that give one tensor."""
NUMBERS = _words("item tolist size numel dim len int float bool str list tuple range max min sum isinstance")
"""Methods and functions of Python that give no tensor."""
