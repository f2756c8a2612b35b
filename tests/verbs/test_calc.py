"""`calc` is one object with a calculator per attribute; its documents name where every input was said."""

from __future__ import annotations

import json

import pytest

from peakwise.core.errors import InputError
from peakwise.verbs.calc import calc, calculate

SEED: dict[str, object] = {"workload": "inference", "params_b": 70, "tokens_per_s": 2000, "peak_tflops": 989}


def test_a_calculator_is_an_attribute_and_called_twice_gives_the_same() -> None:
    assert calc.mfu(**SEED).to_dict() == calc.mfu(**SEED).to_dict() == calc("mfu", **SEED).to_dict()
    assert "mfu" in dir(calc)


def test_an_unknown_calculator_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="there are mfu"):
        _ = calc.mfuu


def test_the_document_is_json_with_text_in_four_languages() -> None:
    document = json.loads(json.dumps(calculate("mfu", SEED).to_dict()))
    assert document["display"]["ru"]["mfu"] == "28,3\u00a0%"
    assert document["display"]["es"]["hfu"] == "—"
    assert document["display"]["it"]["band"] == "media"
    assert set(document["display"]) == {"en", "es", "it", "ru"}
    assert document["missing"] == []
    assert document["convention"] == {"id": "2026-11", "attention": "none", "denominator": "dense"}


def test_an_error_names_the_key_in_python_and_the_flag_on_the_command_line() -> None:
    wrong = SEED | {"peak_tflops": 0}
    for face, where in (("key", "peak_tflops"), ("flag", "--peak"), ("param", "peak")):
        with pytest.raises(InputError) as caught:
            calculate("mfu", wrong, face=face)  # pyright: ignore[reportArgumentType]
        assert caught.value.where == where
        assert caught.value.to_dict()["errors"] == [
            {"field": "peak_tflops", "code": "E_ZERO_PEAK", "message": caught.value.errors[0].message}
        ]


def test_an_unknown_chip_comes_with_the_nearest_and_every_other_field_error() -> None:
    with pytest.raises(InputError) as caught:
        calculate("mfu", {"params_b": "70B", "tokens_per_s": "2000", "chip": "RTX 9090"}, face="flag")
    assert [(error.field, error.code) for error in caught.value.errors] == [("chip", "E_CHOICE"), ("workload", "E_REQ")]
    assert "rtx-5090" in caught.value.expected


def test_a_link_leaves_out_defaults_and_carries_what_differs() -> None:
    answer = calculate("mfu", SEED | {"workload": "training", "accelerators": 8, "lost_pct": 2.5, "precision": "fp8"})
    assert answer.link == "/en/mfu?v=1&w=train&n=70&tps=2000&peak=989&acc=8&prec=fp8&lost=2.5"
