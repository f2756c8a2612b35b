"""Every model_type of the pinned framework has one outcome: compared with its counter, or refused by its name."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from typing import Any

import pytest

from peakwise.core.errors import PeakwiseError
from peakwise.facts.model_types import list_model_types, load_model_type
from peakwise.readers.configs.read import read_config

from .counted import Refused, count
from .kin import FAMILIES
from .tables import ALL, LISTED

pytestmark = [pytest.mark.torch, pytest.mark.sweep]

KINDS = ("causal", "state space", "encoder", "encoder-decoder", "vision", "audio", "composite", "part", "other")
SEEDS = (0, 1)  # those that test_sweep.py draws of every type


def has_row(model_type: str) -> bool:
    """Does the table say how the whole of this type is counted?"""
    return model_type in list_model_types() and not load_model_type(model_type).not_there


def refusal(document: dict[str, Any]) -> str:
    """Why the config is refused; empty where it is counted."""
    try:
        read_config(json.dumps(document).encode(), where="config.json")
    except PeakwiseError as error:
        return str(error)
    return ""


@cache
def is_compared(model_type: str) -> bool:
    """Does a test of the sweep compare a small model of this type with the framework's counter?"""
    if model_type in FAMILIES:
        return True
    from . import framework

    if model_type not in LISTED:
        return False
    drawn = [framework.Small.draw(model_type, seed).document for seed in SEEDS]
    return any(not isinstance(count(document, seq_len=1), Refused) for document in drawn)


def find_third_outcome(model_type: str) -> str:
    """What is wrong with the outcome of a type; empty where it is one of the two."""
    from . import kinds

    reason = refusal(kinds.default_config(model_type))
    if has_row(model_type):
        return "" if is_compared(model_type) else "counted, and compared with nothing"
    if not reason:
        return "counted without a row of its own"
    return "" if model_type in reason else f"refused without its name: {reason}"


@pytest.mark.parametrize("kind", KINDS)
def test_no_type_of_a_kind_has_a_third_outcome(kind: str) -> None:
    """What the table counts is compared to the integer; the default config of all else is refused by its name."""
    from . import kinds

    names = [name for name in kinds.list_types() if kinds.kind_of(name) == kind]
    wrong = {name: fault for name in names if (fault := find_third_outcome(name))}
    assert names
    assert not wrong


def test_every_type_has_one_kind_on_the_page() -> None:
    """The data of the docs page lists every type of the framework under its kind, and nothing else."""
    from . import kinds

    assert kinds.PAGE_DATA.read_text() == kinds.write_table(kinds.list_types())
    table = tomllib.loads(kinds.PAGE_DATA.read_text())
    assert tuple(table) == KINDS
    assert set(ALL) <= {name for names in table.values() for name in names}


def test_a_part_of_another_type_is_refused_inside_a_type_that_is_not_counted() -> None:
    """A text part that is counted does not make the type around it counted."""
    text = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
    text |= {"intermediate_size": 96, "vocab_size": 101}
    document = {"model_type": "some_new_wrapper", "text_config": text, "image_token_id": 3}
    assert "some_new_wrapper" in refusal(document)
