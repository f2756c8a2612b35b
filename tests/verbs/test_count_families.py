"""Encoders, encoder-decoders, audio, vision and composites are counted to the integer, or the error says what lacks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from peakwise.core.errors import ConfigError, InputError, PeakwiseError
from peakwise.report.views.count import render
from peakwise.verbs.count import count

DATA = Path(__file__).parents[1] / "data"
ORACLE = json.loads((DATA / "families" / "oracle.json").read_text(encoding="utf-8"))
REALWORLD = DATA / "realworld"
COMPOSITES = {
    entry["name"]: entry
    for entry in json.loads((REALWORLD / "index.json").read_text(encoding="utf-8"))["entries"]
    if entry["name"] in ("qwen2.5-vl-7b", "gemma-3-4b-it")
}
GEMMA = str(REALWORLD / "gemma-3-4b-it.json")


def change(tmp_path: Path, name: str, **fields: Any) -> str:
    """A catalogue model's config with some fields changed; None takes one out."""
    folder = Path(__file__).parents[2] / "src" / "peakwise" / "facts" / "configs"
    config = json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) | fields
    path = tmp_path / "config.json"
    path.write_text(json.dumps({key: value for key, value in config.items() if value is not None}))
    return str(path)


@pytest.mark.parametrize("entry", ORACLE, ids=lambda entry: entry["name"])
def test_every_figure_is_that_of_the_framework(entry: dict[str, Any]) -> None:
    """Parameters, forward with full and with visible pairs, and backward, which spares the gradient of the data."""
    full = count(entry["name"], seq=entry["seq"], attention="full")
    assert (full.parameters.total, full.parameters.active) == (entry["params_total"], entry["params_active"])
    assert full.ledger.forward == entry["fwd_model_flops"]
    assert full.ledger.backward == entry["bwd_flops"]
    exact = count(entry["name"], seq=entry["seq"])
    assert exact.ledger.forward == entry.get("fwd_causal_exact", entry["fwd_model_flops"])
    assert exact.model.unread == ()
    assert exact.model.defaults_used == ()


@pytest.mark.parametrize("entry", COMPOSITES.values(), ids=lambda entry: entry["name"])
def test_a_composite_given_text_counts_its_text_part_and_owns_every_part(entry: dict[str, Any]) -> None:
    path = str(REALWORLD / entry["file"])
    full = count(path, seq=entry["seq"], attention="full")
    assert (full.parameters.total, full.parameters.active) == (entry["n_params"], entry["n_active_params"])
    assert full.ledger.forward == entry["fwd_full"]
    assert count(path, seq=entry["seq"]).ledger.forward == entry["fwd_causal"]


def test_a_composite_given_an_image_counts_its_tower_and_projector() -> None:
    part = COMPOSITES["gemma-3-4b-it"]["part"]
    image = count(GEMMA, seq=part["workload"])
    text, both = count(GEMMA, seq=8192), count(GEMMA, seq=f"{part['workload']},text=8192")
    assert image.ledger.forward == part["forward"]
    assert both.ledger.forward == image.ledger.forward + text.ledger.forward
    assert both.workload.tokens == 8192
    assert image.flop_per_token is None


def test_an_image_model_has_work_and_no_tokens() -> None:
    """flop_per_token is null with the reason under every rule; the whole workload is an integer all the same."""
    document: Any = count("vit-base-16-224", seq="image=224").to_dict()
    assert document["flop_per_token"] is None
    assert document["workload"]["tokens"] is None
    assert document["flop"] == {
        "forward": 35127656448,
        "backward": 70024101888,
        "model": 105151758336,
        "recompute": 0,
        "padding": 0,
        "hardware": 105151758336,
    }
    assert {rule["why_not"] for rule in document["conventions"]} == {"no text tokens"}
    assert {rule["flop_per_token"] for rule in document["conventions"]} == {None}


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_an_image_model_is_drawn_with_its_whole_work(form: Any) -> None:
    text = render(count("vit-base-16-224", seq="image=224"), form)
    assert "105.15 GFLOP in all" in text
    assert "224 × 224 pixels" in text
    assert "GFLOP per token" not in text


def test_rules_made_for_text_decoders_say_so_of_an_encoder_decoder() -> None:
    found = count("t5-base", seq="enc=512,dec=128")
    applies = {rule.id for rule in found.rules if rule.flop_per_token is not None}
    assert applies == {"exact", "full"}
    assert found.under("6n").why_not == "made for decoders over text alone"
    assert found.workload.tokens == 640
    assert found.flop_per_token == found.ledger.model / 640


def test_a_forward_pass_per_token_is_its_own_forward_and_no_third() -> None:
    """Whisper's first convolution gets no input gradient, so three forwards are more than the whole."""
    found = count("whisper-large-v3", seq="mel=3000,dec=128", mode="forward")
    assert found.flop_per_token == found.ledger.forward / 128
    assert found.ledger.model == found.ledger.forward


def test_samples_scale_the_work_and_similarities_its_square() -> None:
    one, three = (count("clip-vit-l-14", seq="image=224,text=77", batch=n).ledger.forward for n in (1, 3))
    similarity = 2 * 768  # one dot product of the width both towers are projected to
    assert one - similarity == (three - 9 * similarity) // 3
    text = count("clip-vit-l-14", seq="text=77").ledger
    image = count("clip-vit-l-14", seq="image=224").ledger
    assert text.forward + image.forward + similarity == one


@pytest.mark.parametrize(
    ("model", "seq", "words", "hint"),
    [
        ("t5-base", 512, "runs on encoder text and text; encoder not given", "--seq enc=512,dec=128"),
        ("t5-base", "enc=512", "text not given", "--seq enc=512,dec=128"),
        ("whisper-large-v3", "dec=128", "runs on mel frames and text; mel not given", "--seq mel=3000,dec=128"),
        ("whisper-large-v3", "mel=4000,dec=128", "more positions than the model has", "--seq mel=3000"),
        ("vit-base-16-224", 512, "has no text part; it runs on an image", "--seq image=224"),
        ("vit-base-16-224", "image=15", "the image is too small", "--seq image=224"),
        ("bert-base", "image=224", "has no image part; it runs on text", "--seq 4096"),
        ("clip-vit-l-14", "mel=3000", "has no mel part; it runs on an image or text", "--seq image=224,text=77"),
        ("llama-3.1-8b", "enc=4,dec=4", "has no encoder part; it runs on text", "--seq 4096"),
    ],
)
def test_a_part_that_lacks_or_does_not_belong_is_named_with_an_example(
    model: str, seq: int | str, words: str, hint: str
) -> None:
    with pytest.raises(InputError) as caught:
        count(model, seq=seq)
    assert words in str(caught.value)
    assert caught.value.where == "--seq"
    assert caught.value.hint == hint


def test_an_image_that_cuts_a_merged_patch_is_refused_with_the_nearest_size() -> None:
    with pytest.raises(InputError, match="does not divide") as caught:
        count(str(REALWORLD / "qwen2.5-vl-7b.json"), seq="image=100")
    assert caught.value.hint == "--seq image=112"


def test_windows_of_a_tower_cut_both_sides_of_the_image() -> None:
    """Four of 32 layers see all patches; the others see windows of 8 x 8."""
    path = str(REALWORLD / "qwen2.5-vl-7b.json")
    full, exact = (
        count(path, seq="image=280", attention=attention).components["attn_scores"].forward
        for attention in ("full", "causal")
    )
    patches, side = 20 * 20, 8 * 8 + 8 * 8 + 4 * 4
    pair = 2 * 16 * (80 + 80)
    assert full == 32 * pair * patches**2
    assert exact == pair * (4 * patches**2 + 28 * side**2)


@pytest.mark.parametrize(
    ("model", "fields", "words"),
    [
        ("bert-base", {"architectures": ["BertForMultipleChoice"]}, "no head that is known"),
        ("t5-base", {"architectures": ["T5EncoderModel"]}, "is not counted for the model type"),
        ("bert-base", {"add_cross_attention": True}, "cross-attention weights"),
        ("clip-vit-l-14", {"vision_config": None}, "vision_config is missing"),
        ("clip-vit-l-14", {"bridge_hidden_size": 64}, "bridge_hidden_size"),
        ("vit-base-16-224", {"num_adapter_layers": 2}, "num_adapter_layers"),
        ("whisper-large-v3", {"d_model": None}, "hidden_size is missing"),
        ("resnet-50", {"depths": [3, 4, 6]}, "stages contradict each other"),
        ("vit-base-16-224", {"num_attention_heads": 7}, "not divisible by num_attention_heads 7"),
        ("t5-base", {"d_ff": "3072"}, "expected"),
    ],
)
def test_a_config_that_would_be_counted_wrong_is_refused(
    tmp_path: Path, model: str, fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(PeakwiseError) as caught:
        count(change(tmp_path, model, **fields), seq="image=224")
    assert words in str(caught.value)


def test_a_part_of_an_unknown_type_is_refused_at_its_path(tmp_path: Path) -> None:
    vision = {"model_type": "mystery_vision", "hidden_size": 8}
    with pytest.raises(PeakwiseError) as caught:
        count(change(tmp_path, "clip-vit-l-14", vision_config=vision), seq="text=77")
    assert "$.vision_config.model_type" in caught.value.where


def test_a_type_that_is_not_there_yet_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not there yet"):
        count(change(tmp_path, "bert-base", model_type="deberta-v2"), seq=512)


def test_packed_documents_do_not_see_each_other_in_an_encoder(tmp_path: Path) -> None:
    lengths = tmp_path / "lengths.txt"
    lengths.write_text("100\n300\n")
    packed = count("bert-base", seq=f"lengths={lengths}").components["attn_scores"].forward
    alone = [count("bert-base", seq=n).components["attn_scores"].forward for n in (100, 300)]
    assert packed == sum(alone)


def test_recompute_runs_the_layers_of_every_part_again() -> None:
    found = count("t5-base", seq="enc=512,dec=128", recompute="full").ledger
    head = 2 * 128 * 768 * 32128
    assert found.recompute == found.forward - head
