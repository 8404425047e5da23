"""One small model of transformers with random weights, compiled and called twice: `architecture.py NAME`.

Prints the graphs that torch counted. Torch itself logs its graph breaks and recompiles to stderr (TORCH_LOGS).
"""

import sys

import torch
import transformers

SIZE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "vocab_size": 99}
T5_SIZE = {"vocab_size": 99, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4}
SEQ2SEQ_SIZE = {
    "d_model": 32,
    **{f"{part}_layers": 1 for part in ("encoder", "decoder")},
    **{f"{part}_attention_heads": 4 for part in ("encoder", "decoder")},
    **{f"{part}_ffn_dim": 64 for part in ("encoder", "decoder")},
}


def ids(length):
    return torch.randint(3, 90, (2, length))


def images(*shape):
    return {"pixel_values": torch.randn(*shape)}


def made(config, model, **settings):
    return getattr(transformers, model)(getattr(transformers, config)(**settings))


def texts():
    return [{"input_ids": ids(8)}, {"input_ids": ids(12)}]


def pairs():
    return [{"input_ids": ids(8), "labels": ids(6)}, {"input_ids": ids(12), "labels": ids(6)}]


def bert():
    return made("BertConfig", "BertForMaskedLM", **SIZE), texts()


def llama():
    return made("LlamaConfig", "LlamaForCausalLM", **SIZE), texts()


def mixtral():
    return made("MixtralConfig", "MixtralForCausalLM", **SIZE, num_local_experts=4, num_key_value_heads=2), texts()


def mamba():
    return made("MambaConfig", "MambaForCausalLM", **SIZE, state_size=8), texts()


def t5():
    return made("T5Config", "T5ForConditionalGeneration", **T5_SIZE, decoder_start_token_id=0), pairs()


def switch():
    settings = {**T5_SIZE, "num_experts": 4, "decoder_start_token_id": 0}
    return made("SwitchTransformersConfig", "SwitchTransformersForConditionalGeneration", **settings), pairs()


def longformer():
    return made("LongformerConfig", "LongformerModel", **SIZE, attention_window=4), texts()


def bigbird():
    settings = {**SIZE, "attention_type": "block_sparse", "block_size": 2, "num_random_blocks": 1}
    return made("BigBirdConfig", "BigBirdModel", **settings), texts()


def led():
    return made("LEDConfig", "LEDModel", vocab_size=99, **SEQ2SEQ_SIZE, attention_window=4), texts()


def vit():
    model = made("ViTConfig", "ViTModel", **{**SIZE, "image_size": 16, "patch_size": 8})
    return model, [images(2, 3, 16, 16), images(3, 3, 16, 16)]


def detr():
    backbone = transformers.ResNetConfig(
        embedding_size=16, hidden_sizes=[16, 16], depths=[1, 1], out_features=["stage2"]
    )
    model = made("DetrConfig", "DetrModel", **SEQ2SEQ_SIZE, backbone_config=backbone, num_queries=5)
    return model, [images(1, 3, 32, 32), images(1, 3, 48, 32)]


def wav2vec2():
    convolutions = {"conv_dim": [16, 16], "conv_stride": [5, 2], "conv_kernel": [10, 3]}
    positions = {"num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 4}
    model = made("Wav2Vec2Config", "Wav2Vec2Model", **SIZE, **convolutions, **positions)
    return model.train(), [{"input_values": torch.randn(2, length)} for length in (1000, 1200)]


torch.manual_seed(0)
model, calls = globals()[sys.argv[1]]()
compiled = torch.compile(model, backend="eager")
for inputs in calls:
    compiled(**inputs)
print(torch._dynamo.utils.counters["stats"]["unique_graphs"])  # noqa: T201
